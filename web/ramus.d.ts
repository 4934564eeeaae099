export interface Model { file: string; from: string; to: string; bytes?: number; name?: string }
