/* Calls the native methods of examples/android.c as a Java machine would, with a table that has
 * what they use: android MODEL TEXT prints the translation. A Java string or array is a C struct
 * here. */
#include <jni.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

jlong Java_org_example_Ramus_open(JNIEnv *env, jclass class, jstring path);
jbyteArray Java_org_example_Ramus_translate(JNIEnv *env, jclass class, jlong handle,
                                            jbyteArray utf8);
void Java_org_example_Ramus_close(JNIEnv *env, jclass class, jlong handle);

typedef struct {
    char *data;
    jsize size;
} object;

static int held; // what was given out and not released

static const char *get_string(JNIEnv *env, jstring s, jboolean *copied)
{
    (void)env, (void)copied;
    held++;
    return ((object *)s)->data;
}

static void release_string(JNIEnv *env, jstring s, const char *data)
{
    (void)env;
    held -= ((object *)s)->data == data;
}

static jsize get_length(JNIEnv *env, jarray a)
{
    (void)env;
    return ((object *)a)->size;
}

static jbyteArray new_bytes(JNIEnv *env, jsize size)
{
    (void)env;
    object *o = malloc(sizeof *o);
    if (!o) abort();
    *o = (object){calloc((size_t)size + 1, 1), size};
    return (jbyteArray)o;
}

static void get_bytes(JNIEnv *env, jbyteArray a, jsize first, jsize n, jbyte *to)
{
    (void)env;
    memcpy(to, ((object *)a)->data + first, (size_t)n);
}

static void set_bytes(JNIEnv *env, jbyteArray a, jsize first, jsize n, const jbyte *from)
{
    (void)env;
    memcpy(((object *)a)->data + first, from, (size_t)n);
}

int main(int argc, char **argv)
{
    const struct JNINativeInterface functions = {.GetStringUTFChars = get_string,
                                                 .ReleaseStringUTFChars = release_string,
                                                 .GetArrayLength = get_length,
                                                 .NewByteArray = new_bytes,
                                                 .GetByteArrayRegion = get_bytes,
                                                 .SetByteArrayRegion = set_bytes};
    JNIEnv env = &functions;
    if (argc != 3) return 2;
    object path = {argv[1], 0}, none = {"/nowhere", 0}, text = {argv[2], (jsize)strlen(argv[2])};
    if (Java_org_example_Ramus_open(&env, NULL, (jstring)&none)) return 3;
    const jlong handle = Java_org_example_Ramus_open(&env, NULL, (jstring)&path);
    object *out =
        handle ? (object *)Java_org_example_Ramus_translate(&env, NULL, handle, (jbyteArray)&text)
               : NULL;
    if (!out || held) return 4;
    puts(out->data);
    Java_org_example_Ramus_close(&env, NULL, handle);
    free(out->data);
    free(out);
    return 0;
}
