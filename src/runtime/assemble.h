/* assemble.h - results of searches become texts again: translations, what was copied, marks. */
#ifndef RAMUS_RUNTIME_ASSEMBLE_H
#define RAMUS_RUNTIME_ASSEMBLE_H

#include "runtime/session.h"

void ramus_assembly_free(ramus_assembly *a);

/* The first part of a job that is in its translations, and the one after `part`; -1: there is none.
 * A part that failed has its fragments there. */
int ramus_session_first_part(const ramus_session *s, const ramus_job *t);
int ramus_session_next_part(const ramus_session *s, const ramus_job *t, int part);

/* The j-th translation of a part, or the last one that it has. */
const ramus_outcome *ramus_session_outcome(const ramus_session *s, int part, int j);

/* RAMUS_NOTE_.. about a translation of a part. */
unsigned ramus_session_notes(const ramus_session *s, int part, const ramus_outcome *o);

/* The bytes of the source that token k of a part stands for, without white space before them.
 * cutting.ends is set. */
ramus_range ramus_session_source_range(const ramus_session *s, const ramus_job *t,
                                       const ramus_part *p, int k);

/* Whether a job has a j-th translation: that is, one of its parts has. There always is one. */
bool ramus_session_has(const ramus_session *s, const ramus_job *t, int j);

/* Adds translation j of a job to the text of the assembly, and its sums to *out. */
RAMUS_CHECKED ramus_status ramus_session_assemble(ramus_session *s, const ramus_job *t, int j,
                                                  ramus_translation *out, ramus_error *err);

/* The same for the parts from number `first` to `last` alone, in an assembly of its own. */
RAMUS_CHECKED ramus_status ramus_session_assemble_parts(ramus_session *s, const ramus_job *t,
                                                        int first, int last, ramus_translation *out,
                                                        ramus_error *err);

/* Places the marks of the job that was assembled last: s->assembly.marked has them then. */
RAMUS_CHECKED ramus_status ramus_session_place(ramus_session *s, const ramus_job *t,
                                               ramus_error *err);

/* Adds the sentences of the job that was assembled last, as pairs of text number `text`. */
RAMUS_CHECKED ramus_status ramus_session_list_pairs(ramus_session *s, int job, int text,
                                                    ramus_error *err);

/* Makes room for the tokens of all texts of the call and of their translations. */
RAMUS_CHECKED ramus_status ramus_session_list_begin(ramus_session *s, ramus_error *err);

/* Adds the tokens of a job to out->source; all jobs of one text come one after the other. */
void ramus_session_list_source(ramus_session *s, const ramus_job *t, ramus_translation *out);

/* Adds the tokens of the translation that was assembled last to out->target. `before`: tokens of
 * the text's jobs before this one. */
void ramus_session_list_target(ramus_session *s, const ramus_job *t, int j, int before,
                               ramus_translation *out);

#endif
