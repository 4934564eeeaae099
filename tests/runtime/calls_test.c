/* Calls that cannot work: NULL in place of something, and a session that is in use. */
#include "runtime/sessions.h"

#include <pthread.h>

static ramus_error err;

static ramus_model *small_model(void)
{
    return model_create((model_spec){"dmb", "bpe-4k", NULL, false, 0, false});
}

static void null_is_told(void)
{
    _Alignas(8) static const char bytes[8] = "GGUF";
    ramus_model *m = NULL, *model = small_model();
    ramus_session *s = NULL, *session = session_create(model, (ramus_session_options){.beam = 2});
    ramus_translation out[2];
    const ramus_text one = {"yes", 3}, nothing = {NULL, 3};
    EXPECT_FAILS(ramus_model_open(NULL, "m.gguf", &err), err, "where the model goes is NULL");
    EXPECT_FAILS(ramus_model_open(&m, NULL, &err), err, "the path of the model is NULL");
    EXPECT_FAILS(ramus_model_open_memory(NULL, bytes, 8, &err), err, "where the model goes");
    EXPECT_FAILS(ramus_model_open_memory(&m, NULL, 8, &err), err, "the model in memory is NULL");
    EXPECT_FAILS(ramus_session_create(NULL, model, NULL, &err), err, "where the session goes");
    EXPECT_FAILS(ramus_session_create(&s, NULL, NULL, &err), err, "the model is NULL");
    EXPECT_FAILS(ramus_translate(NULL, "yes", NULL, out, &err), err, "the session is NULL");
    EXPECT_FAILS(ramus_translate(session, NULL, NULL, out, &err), err, "the text is NULL");
    EXPECT_FAILS(ramus_translate(session, "yes", NULL, NULL, &err), err, "translations is NULL");
    EXPECT_FAILS(ramus_translate_all(NULL, &one, 1, NULL, out, &err), err, "the session is NULL");
    EXPECT_FAILS(ramus_translate_all(session, NULL, 1, NULL, out, &err), err, "of texts is NULL");
    EXPECT_FAILS(ramus_translate_all(session, &one, 1, NULL, NULL, &err), err, "translations is");
    EXPECT_FAILS(ramus_translate_all(session, &nothing, 1, NULL, out, &err), err,
                 "text 0 of 1 has 3 bytes at NULL");
    EXPECT_INT(err.status, RAMUS_BAD_ARGUMENT, "status");
    EXPECT_INT(ramus_translate(session, NULL, NULL, out, NULL), RAMUS_BAD_ARGUMENT, "no error");
    EXPECT(!m && !s, "a result of a call that failed");
    EXPECT(!ramus_model_info(NULL, "name") && !ramus_model_info(model, NULL), "no info");
    ramus_session_destroy(session);
    ramus_model_close(model);
}

static void an_empty_text_may_be_null(void)
{
    ramus_model *m = small_model();
    ramus_session *s = session_create(m, (ramus_session_options){.details = true});
    ramus_translate_options how = defaults();
    const ramus_text texts[2] = {{NULL, 0}, {"", 0}};
    ramus_translation out[2];
    for (int document = 0; document < 2; document++) {
        how.document = document;
        REQUIRE_OK(ramus_translate_all(s, texts, 2, &how, out, &err), err);
        EXPECT(out[0].size == 0 && out[1].size == 0, "%zu and %zu bytes", out[0].size, out[1].size);
    }
    REQUIRE_OK(ramus_translate_all(s, NULL, 0, NULL, NULL, &err), err);
    ramus_session_destroy(s);
    ramus_model_close(m);
}

/* A call, and what other calls of the same session came to meanwhile. */
typedef struct {
    ramus_session *session;
    int asked, refused;
} meanwhile;

static void *call(void *arg)
{
    meanwhile *w = arg;
    ramus_error e = {0};
    ramus_translation out;
    const ramus_status st = ramus_translate(w->session, "no", NULL, &out, &e);
    w->refused +=
        st == RAMUS_BAD_ARGUMENT && strstr(e.message, "another call is using the session");
    return NULL;
}

static bool call_again(void *arg)
{
    meanwhile *w = arg;
    pthread_t thread;
    if (w->asked++ > 1) return false;
    call(w); // from the callback itself
    if (pthread_create(&thread, NULL, call, w) == 0) pthread_join(thread, NULL);
    return false;
}

static void a_session_in_use_refuses_other_calls(void)
{
    ramus_model *m = small_model();
    ramus_session *s = session_create(m, (ramus_session_options){.details = true});
    ramus_translate_options how = defaults();
    ramus_translation out;
    ramus_buffer alone = {0}, disturbed = {0};
    meanwhile w = {.session = s};
    REQUIRE_OK(ramus_translate(s, "What is it?", &how, &out, &err), err);
    describe(&alone, &out);
    how.cancel = call_again;
    how.arg = &w;
    REQUIRE_OK(ramus_translate(s, "What is it?", &how, &out, &err), err);
    describe(&disturbed, &out);
    EXPECT(w.asked > 1 && w.refused == 4, "asked %d times, %d calls refused", w.asked, w.refused);
    EXPECT_TEXT(disturbed.data, alone.data);
    how.n_best = 99; // a call that fails leaves the session free
    EXPECT_FAILS(ramus_translate(s, "no", &how, &out, &err), err, "n_best is 99");
    REQUIRE_OK(ramus_translate(s, "no", NULL, &out, &err), err);
    ramus_buffer_free(&alone);
    ramus_buffer_free(&disturbed);
    ramus_session_destroy(s);
    ramus_model_close(m);
}

CHECK_MAIN({"null_is_told", null_is_told}, {"an_empty_text_may_be_null", an_empty_text_may_be_null},
           {"a_session_in_use_refuses_other_calls", a_session_in_use_refuses_other_calls})
