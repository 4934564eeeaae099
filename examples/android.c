/* libramus for an application on Android: the functions of a Java class with native methods,
 *
 *     package org.example;
 *     final class Ramus {
 *         static { System.loadLibrary("ramus-jni"); }
 *         static native long open(String path);             // 0: it cannot be opened
 *         static native byte[] translate(long handle, byte[] utf8); // null: it failed
 *         static native void close(long handle);
 *     }
 *
 * Texts go as bytes of UTF-8, since Java's own strings for native code are not UTF-8. A handle has
 * one call at a time. docs/guide/devices.md has the commands that build it. */
#include <ramus/ramus.h>

#include <jni.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ramus_model *model;
    ramus_session *session;
} translator;

static void destroy(translator *t)
{
    if (!t) return;
    ramus_session_destroy(t->session);
    ramus_model_close(t->model);
    free(t);
}

static translator *from_handle(jlong handle)
{
    return (translator *)(intptr_t)handle;
}

JNIEXPORT jlong JNICALL Java_org_example_Ramus_open(JNIEnv *env, jclass class, jstring path)
{
    (void)class;
    const char *name = (*env)->GetStringUTFChars(env, path, NULL);
    translator *t = name ? calloc(1, sizeof *t) : NULL;
    if (t && (ramus_model_open(&t->model, name, NULL) ||
              ramus_session_create(&t->session, t->model, NULL, NULL))) {
        destroy(t);
        t = NULL;
    }
    if (name) (*env)->ReleaseStringUTFChars(env, path, name);
    return (jlong)(intptr_t)t;
}

/* The bytes of a Java array, with a zero behind them; NULL: no memory. */
static char *copy_text(JNIEnv *env, jbyteArray bytes)
{
    const jsize size = (*env)->GetArrayLength(env, bytes);
    char *text = calloc((size_t)size + 1, 1);
    if (text) (*env)->GetByteArrayRegion(env, bytes, 0, size, (jbyte *)text);
    return text;
}

JNIEXPORT jbyteArray JNICALL Java_org_example_Ramus_translate(JNIEnv *env, jclass class,
                                                              jlong handle, jbyteArray utf8)
{
    (void)class;
    const translator *t = from_handle(handle);
    jbyteArray result = NULL;
    ramus_translation out;
    char *text = copy_text(env, utf8);
    if (t && text && !ramus_translate(t->session, text, NULL, &out, NULL)) {
        result = (*env)->NewByteArray(env, (jsize)out.size);
        if (result)
            (*env)->SetByteArrayRegion(env, result, 0, (jsize)out.size, (const jbyte *)out.text);
    }
    free(text);
    return result;
}

JNIEXPORT void JNICALL Java_org_example_Ramus_close(JNIEnv *env, jclass class, jlong handle)
{
    (void)env, (void)class;
    destroy(from_handle(handle));
}
