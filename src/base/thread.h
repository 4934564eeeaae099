/* thread.h - locks, conditions and threads: those of pthreads, or none. WebAssembly has none: a
 * lock is always free there, and no thread starts. Nothing else in the library knows pthreads. */
#ifndef RAMUS_BASE_THREAD_H
#define RAMUS_BASE_THREAD_H

#if defined __wasm__
#include <errno.h>

typedef struct {
    char none;
} ramus_lock, ramus_condition, ramus_thread;

#define RAMUS_LOCK_CALL(name)                                                                      \
    static inline void ramus_lock_##name(ramus_lock *lock)                                         \
    {                                                                                              \
        (void)lock;                                                                                \
    }
#define RAMUS_CONDITION_CALL(name)                                                                 \
    static inline void ramus_condition_##name(ramus_condition *condition)                          \
    {                                                                                              \
        (void)condition;                                                                           \
    }

RAMUS_LOCK_CALL(init)
RAMUS_LOCK_CALL(destroy)
RAMUS_LOCK_CALL(take)
RAMUS_LOCK_CALL(release)
RAMUS_CONDITION_CALL(init)
RAMUS_CONDITION_CALL(destroy)
RAMUS_CONDITION_CALL(wake_one)
RAMUS_CONDITION_CALL(wake_all)

static inline void ramus_condition_wait(ramus_condition *condition, ramus_lock *lock)
{
    (void)condition, (void)lock;
}

static inline int ramus_thread_start(ramus_thread *thread, void *(*body)(void *), void *arg)
{
    (void)thread, (void)body, (void)arg;
    return ENOTSUP;
}

static inline void ramus_thread_join(const ramus_thread *thread)
{
    (void)thread;
}

#else
#include <pthread.h>
#include <stddef.h>

typedef pthread_mutex_t ramus_lock;
typedef pthread_cond_t ramus_condition;
typedef pthread_t ramus_thread;

static inline void ramus_lock_init(ramus_lock *lock)
{
    (void)pthread_mutex_init(lock, NULL);
}

static inline void ramus_lock_destroy(ramus_lock *lock)
{
    (void)pthread_mutex_destroy(lock);
}

static inline void ramus_lock_take(ramus_lock *lock)
{
    (void)pthread_mutex_lock(lock);
}

static inline void ramus_lock_release(ramus_lock *lock)
{
    (void)pthread_mutex_unlock(lock);
}

static inline void ramus_condition_init(ramus_condition *condition)
{
    (void)pthread_cond_init(condition, NULL);
}

static inline void ramus_condition_destroy(ramus_condition *condition)
{
    (void)pthread_cond_destroy(condition);
}

/* Releases the lock, waits, takes it again. */
static inline void ramus_condition_wait(ramus_condition *condition, ramus_lock *lock)
{
    (void)pthread_cond_wait(condition, lock);
}

static inline void ramus_condition_wake_one(ramus_condition *condition)
{
    (void)pthread_cond_signal(condition);
}

static inline void ramus_condition_wake_all(ramus_condition *condition)
{
    (void)pthread_cond_broadcast(condition);
}

/* 0, or an errno code: then nothing was started. */
static inline int ramus_thread_start(ramus_thread *thread, void *(*body)(void *), void *arg)
{
    return pthread_create(thread, NULL, body, arg);
}

static inline void ramus_thread_join(const ramus_thread *thread)
{
    (void)pthread_join(*thread, NULL);
}
#endif

#endif
