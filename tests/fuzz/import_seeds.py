#!/usr/bin/env python3
"""Files of foreign models for the fuzz targets pickle, npz and words to begin with:  import_seeds.py FOLDER GOLDEN"""
import io
import pathlib
import struct
import sys
import zipfile

folder, golden = map(pathlib.Path, sys.argv[1:])


def write(target, name, data):
    (folder / target).mkdir(parents=True, exist_ok=True)
    (folder / target / name).write_bytes(data)


def array(descr, shape, data, version=1, order='False'):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n".encode()
    return b'\x93NUMPY' + struct.pack('<BB' + 'HII'[version - 1], version, 0, len(header)) + header + data


arrays = {
    'Wemb': array('<f4', (2, 3), bytes(24)), 'half': array('<f2', (4,), bytes(8), 2), 'one': array('<f8', (), bytes(8), 3),
    'columns': array('<f4', (3, 2), bytes(24), order='True'), 'special:model.yml': array('|i1', (18,), b'type: transformer\0'),
}
for name, data in arrays.items():
    write('npz', name.replace(':', '-'), data)
archive = io.BytesIO()
with zipfile.ZipFile(archive, 'w') as z:
    for name, data in arrays.items():
        z.writestr(f'{name}.npy', data)
write('npz', 'all.npz', archive.getvalue())

for file in sorted((golden / 'pickle').glob('*.bin')):
    data = file.read_bytes()
    write('npz', file.name, data)  # the target knows every format by its first bytes
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as z:
            for name in z.namelist():
                if name.endswith('.pkl'):
                    write('pickle', f'{file.stem}.pkl', z.read(name))

for file in sorted((golden / 'opus-mt').glob('*/*vocab.json')):
    write('words', f'{file.parent.name}-{file.name}', file.read_bytes())
write('words', 'small.json', '{"<unk>": 1, "a": 0, "\\u2581a": 2, "\\ud83d\\ude00": 3}'.encode())
write('words', 'list.yml', '#"<unk>": 1\na: 0\n\'b\'\'c\': 2\n▁a: 3\n'.encode())
