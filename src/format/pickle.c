/* A stack machine with the instructions that torch.save() writes for a dictionary of tensors
 * (protocol 2). Each instruction adds at most one value, so memory grows with the file alone.
 * Names that a file may call are the rows of `calls`; they are looked up, never run. */
#include "format/tensor_list.h"

#include "base/list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    OTHER, // None, lists: nobody reads them
    MARK,
    NUMBER, // True and False too
    TEXT,
    CALL,
    STORAGE,
    TENSOR,
    TUPLE,
    DICT
} value_kind;

typedef enum { REBUILD, PARAMETER, ORDERED, TYPE } call_kind;

typedef struct {
    value_kind kind;
    int64_t number;   // of a call: its row; of a tensor: its place in `tensors`
    const char *text; // of a storage: its bytes
    size_t size;      // of the text, or of a storage
    int first, n;     // of a tuple: its values, in `elements`
} value;

typedef struct {
    value *items;
    int n;
    size_t room;
} values;

typedef struct {
    const ramus_stored *archive;
    const ramus_stored_entry *pickle;
    size_t at;
    values stack, elements, memo;
    ramus_safetensor *tensors; // data: of the first value
    size_t *rooms;             // bytes from there on
    int n_tensors;
    size_t tensor_room, room_room;
    ramus_tensor_list *out;
    ramus_pickle_survey *survey; // what to note where storages are not there yet; or NULL
    bool done;
} machine;

static const struct {
    const char *name; // "module\nname"
    call_kind kind;
    ramus_safetensor_dtype dtype; // of a type
} calls[] = {
    {"torch._utils\n_rebuild_tensor_v2", REBUILD, 0},
    {"torch._utils\n_rebuild_parameter", PARAMETER, 0},
    {"collections\nOrderedDict", ORDERED, 0},
    {"torch\nFloatStorage", TYPE, RAMUS_SAFETENSOR_F32},
    {"torch\nHalfStorage", TYPE, RAMUS_SAFETENSOR_F16},
    {"torch\nBFloat16Storage", TYPE, RAMUS_SAFETENSOR_BF16},
    {"torch\nDoubleStorage", TYPE, RAMUS_SAFETENSOR_F64},
    {"torch\nLongStorage", TYPE, RAMUS_SAFETENSOR_I64},
    {"torch\nIntStorage", TYPE, RAMUS_SAFETENSOR_I32},
    {"torch\nShortStorage", TYPE, RAMUS_SAFETENSOR_I16},
    {"torch\nCharStorage", TYPE, RAMUS_SAFETENSOR_I8},
    {"torch\nByteStorage", TYPE, RAMUS_SAFETENSOR_U8},
    {"torch\nBoolStorage", TYPE, RAMUS_SAFETENSOR_BOOL},
};

static ramus_status broken(const machine *m, const char *what, ramus_error *err)
{
    return ramus_fail(err, RAMUS_BAD_FORMAT, "the pickle is not of a file of tensors: byte %zu: %s",
                      m->at, what);
}

static ramus_status add(values *v, value x, ramus_error *err)
{
    const ramus_status st =
        RAMUS_LIST_RESERVE(v->items, v->room, (size_t)v->n + 1, "a pickle", err);
    if (!st) v->items[v->n++] = x;
    return st;
}

static ramus_status push(machine *m, value x, ramus_error *err)
{
    return add(&m->stack, x, err);
}

/* The last n bytes that were read of the pickle, NULL where there are no more. */
static const unsigned char *take(machine *m, size_t n)
{
    if (n > m->pickle->size - m->at) return NULL;
    m->at += n;
    return m->pickle->data + m->at - n;
}

static bool take_number(machine *m, size_t bytes, uint64_t *out)
{
    const unsigned char *p = take(m, bytes);
    *out = 0;
    for (size_t i = 0; p && i < bytes; i++)
        *out |= (uint64_t)p[i] << 8 * i;
    return p;
}

/* The value under the top `n` of this kind, or NULL. */
static value *peek(const machine *m, int n, value_kind kind)
{
    if (m->stack.n <= n) return NULL;
    value *v = &m->stack.items[m->stack.n - 1 - n];
    return v->kind == kind ? v : NULL;
}

/* How many values are above the topmost mark; -1: there is none. */
static int above_mark(const machine *m)
{
    for (int i = m->stack.n - 1; i >= 0; i--)
        if (m->stack.items[i].kind == MARK) return m->stack.n - 1 - i;
    return -1;
}

static ramus_status make_tuple(machine *m, int n, bool mark, ramus_error *err)
{
    if (n < 0 || n + mark > m->stack.n) return broken(m, "a tuple of more than there is", err);
    const value tuple = {.kind = TUPLE, .first = m->elements.n, .n = n};
    ramus_status st = RAMUS_OK;
    for (int i = m->stack.n - n; i < m->stack.n && !st; i++) {
        if (m->stack.items[i].kind == MARK) return broken(m, "a mark in a tuple", err);
        st = add(&m->elements, m->stack.items[i], err);
    }
    m->stack.n -= n + mark;
    return st ? st : push(m, tuple, err);
}

static const value *element(const machine *m, const value *tuple, int i, value_kind kind)
{
    if (tuple->kind != TUPLE || i >= tuple->n) return NULL;
    const value *v = &m->elements.items[tuple->first + i];
    return v->kind == kind ? v : NULL;
}

static ramus_status push_call(machine *m, ramus_error *err)
{
    const char *name = (const char *)m->pickle->data + m->at;
    const size_t left = m->pickle->size - m->at;
    const char *first = memchr(name, '\n', left);
    const char *second = first ? memchr(first + 1, '\n', left - (size_t)(first + 1 - name)) : NULL;
    if (!second || second - name > 200) return broken(m, "a name without end", err);
    const size_t size = (size_t)(second - name);
    for (int i = 0; i < RAMUS_COUNT(calls); i++)
        if (strlen(calls[i].name) == size && memcmp(calls[i].name, name, size) == 0) {
            m->at += size + 1;
            return push(m, (value){.kind = CALL, .number = i}, err);
        }
    return ramus_fail(err, RAMUS_BAD_FORMAT,
                      "the pickle calls %.*s.%.*s, which no file of tensors does; nothing was "
                      "executed",
                      (int)(first - name), name, (int)(second - first - 1), first + 1);
}

/* A storage whose bytes come later: its size is what the pickle says. */
static ramus_status note_storage(machine *m, const value *type, const value *key,
                                 const value *count, ramus_error *err)
{
    ramus_pickle_survey *s = m->survey;
    const size_t bytes = ramus_safetensor_dtype_size(calls[type->number].dtype);
    if (!count || count->number < 0 || (uint64_t)count->number > (size_t)-1 / 2 / bytes)
        return broken(m, "a storage without a size", err);
    const ramus_status st = RAMUS_LIST_RESERVE(s->storages, s->storage_room,
                                               (size_t)s->n_storages + 1, "storages", err);
    if (st) return st;
    const size_t size = (size_t)count->number * bytes;
    s->storages[s->n_storages++] = (ramus_pickle_storage){key->text, key->size, bytes, size};
    m->stack.items[m->stack.n - 1] = (value){.kind = STORAGE,
                                             .number = type->number,
                                             .text = (const char *)m->pickle->data,
                                             .size = size};
    return RAMUS_OK;
}

/* ('storage', type, key, place, count) stands for the bytes of an entry. */
static ramus_status make_storage(machine *m, ramus_error *err)
{
    const value *tuple = peek(m, 0, TUPLE);
    const value *word = tuple ? element(m, tuple, 0, TEXT) : NULL;
    const value *type = tuple ? element(m, tuple, 1, CALL) : NULL;
    const value *key = tuple ? element(m, tuple, 2, TEXT) : NULL;
    char name[128];
    const size_t folder = strlen(m->pickle->name) - strlen("data.pkl");
    if (!word || word->size != 7 || memcmp(word->text, "storage", 7) != 0 || !type ||
        calls[type->number].kind != TYPE || !key || folder + 5 + key->size >= sizeof name)
        return broken(m, "an external value that is no storage", err);
    if (m->survey) return note_storage(m, type, key, element(m, tuple, 4, NUMBER), err);
    memcpy(name, m->pickle->name, folder);
    memcpy(name + folder, "data/", 5);
    memcpy(name + folder + 5, key->text, key->size);
    name[folder + 5 + key->size] = '\0';
    for (int i = 0; i < m->archive->n; i++) {
        const ramus_stored_entry *e = &m->archive->entries[i];
        if (strcmp(e->name, name) != 0) continue;
        m->stack.items[m->stack.n - 1] = (value){.kind = STORAGE,
                                                 .number = type->number,
                                                 .text = (const char *)e->data,
                                                 .size = e->size};
        return RAMUS_OK;
    }
    return broken(m, "a storage that the archive does not have", err);
}

/* The sizes of a tensor, whose rows must follow each other in its storage. */
static bool read_shape(const machine *m, const value *sizes, const value *strides,
                       ramus_safetensor *t)
{
    if (sizes->n > RAMUS_SAFETENSOR_RANK || strides->n != sizes->n) return false;
    t->rank = sizes->n;
    int64_t expected = 1;
    for (int i = sizes->n - 1; i >= 0; i--) {
        const value *size = element(m, sizes, i, NUMBER), *stride = element(m, strides, i, NUMBER);
        if (!size || !stride || size->number < 0) return false;
        if (size->number > 1 && stride->number != expected) return false;
        if (size->number && expected > INT64_MAX / size->number) return false;
        expected *= size->number;
        t->shape[i] = (size_t)size->number;
    }
    return true;
}

/* _rebuild_tensor_v2(storage, first value, sizes, strides, ...) */
static ramus_status make_tensor(machine *m, const value *args, value *out, ramus_error *err)
{
    const value *storage = element(m, args, 0, STORAGE), *offset = element(m, args, 1, NUMBER);
    const value *sizes = element(m, args, 2, TUPLE), *strides = element(m, args, 3, TUPLE);
    if (!storage || !offset || !sizes || !strides) return broken(m, "a tensor without parts", err);
    ramus_safetensor t = {.dtype = calls[storage->number].dtype};
    const size_t bytes = ramus_safetensor_dtype_size(t.dtype);
    if (!read_shape(m, sizes, strides, &t))
        return broken(m, "a tensor whose rows do not follow each other", err);
    if (offset->number < 0 || (uint64_t)offset->number > storage->size / bytes)
        return broken(m, "a tensor outside its storage", err);
    ramus_status st = RAMUS_LIST_RESERVE(m->tensors, m->tensor_room, (size_t)m->n_tensors + 1,
                                         "the list of tensors", err);
    if (!st)
        st = RAMUS_LIST_RESERVE(m->rooms, m->room_room, (size_t)m->n_tensors + 1,
                                "the list of tensors", err);
    if (st) return st;
    const size_t skip = (size_t)offset->number * bytes;
    t.data = storage->text + skip;
    m->tensors[m->n_tensors] = t;
    m->rooms[m->n_tensors] = storage->size - skip;
    *out = (value){.kind = TENSOR, .number = m->n_tensors++};
    return RAMUS_OK;
}

static ramus_status reduce(machine *m, ramus_error *err)
{
    const value *call = peek(m, 1, CALL), *args = peek(m, 0, TUPLE);
    value made = {.kind = DICT};
    if (!call || !args) return broken(m, "a call without a name or arguments", err);
    const call_kind kind = calls[call->number].kind;
    ramus_status st = RAMUS_OK;
    if (kind == REBUILD) {
        st = make_tensor(m, args, &made, err);
    } else if (kind == PARAMETER) {
        const value *tensor = element(m, args, 0, TENSOR);
        if (!tensor) return broken(m, "a parameter without a tensor", err);
        made = *tensor;
    } else if (kind != ORDERED || args->n) {
        return broken(m, "a call that makes no tensor", err);
    }
    m->stack.n -= 2;
    return st ? st : push(m, made, err);
}

/* Pairs of a key and a value go into the dictionary below them. Tensors with a name are kept. */
static ramus_status set_items(machine *m, int n, bool mark, ramus_error *err)
{
    if (n < 0 || n % 2 || !peek(m, n + mark, DICT)) return broken(m, "items of no dictionary", err);
    const value *items = m->stack.items + m->stack.n - n;
    ramus_status st = RAMUS_OK;
    for (int i = 0; i < n && !st; i += 2) {
        if (items[i].kind != TEXT || items[i + 1].kind != TENSOR) continue;
        const size_t tensor = (size_t)items[i + 1].number;
        st = ramus_tensor_list_add(m->out, items[i].text, items[i].size, &m->tensors[tensor],
                                   m->rooms[tensor], err);
    }
    m->stack.n -= n + mark;
    return st;
}

/* Values get the numbers 0, 1, .. in memory. */
static ramus_status memorise(machine *m, uint64_t at, ramus_error *err)
{
    if (m->stack.n == 0 || peek(m, 0, MARK) || at > (uint64_t)m->memo.n)
        return broken(m, "a memory without value", err);
    const value top = m->stack.items[m->stack.n - 1];
    if (at == (uint64_t)m->memo.n) return add(&m->memo, top, err);
    m->memo.items[at] = top;
    return RAMUS_OK;
}

static ramus_status recall(machine *m, uint64_t at, ramus_error *err)
{
    if (at >= (uint64_t)m->memo.n) return broken(m, "a memory that is not there", err);
    return push(m, m->memo.items[at], err);
}

/* Drops n values and the mark below them: what goes into a list. */
static ramus_status drop(machine *m, int n, bool mark, ramus_error *err)
{
    if (n < 0 || !peek(m, n + mark, OTHER)) return broken(m, "items of no list", err);
    ramus_pickle_survey *s = m->survey;
    ramus_status st = RAMUS_OK;
    for (int i = m->stack.n - n; s && i < m->stack.n && !st; i++) {
        const value *v = &m->stack.items[i];
        st = RAMUS_LIST_RESERVE(s->listed, s->listed_room, (size_t)s->n_listed + 1, "a list", err);
        if (!st)
            s->listed[s->n_listed++] = (ramus_pickle_storage){
                .key = v->kind == TEXT ? v->text : "", .key_size = v->kind == TEXT ? v->size : 0};
    }
    m->stack.n -= n + mark;
    return st;
}

static ramus_status push_text(machine *m, size_t length_bytes, ramus_error *err)
{
    uint64_t size = 0;
    if (!take_number(m, length_bytes, &size) || size > m->pickle->size - m->at)
        return broken(m, "a text without end", err);
    const unsigned char *text = take(m, (size_t)size);
    return push(m, (value){.kind = TEXT, .text = (const char *)text, .size = (size_t)size}, err);
}

static ramus_status push_number(machine *m, size_t bytes, bool is_signed, ramus_error *err)
{
    uint64_t x = 0;
    if (bytes > 8 || !take_number(m, bytes, &x)) return broken(m, "a number too large", err);
    if (is_signed && bytes && bytes < 8 && x >> (8 * bytes - 1) & 1) x |= ~(uint64_t)0 << 8 * bytes;
    return push(m, (value){.kind = NUMBER, .number = (int64_t)x}, err);
}

/* Instructions whose operand is a number of bytes: how many. */
static ramus_status with_operand(machine *m, int code, size_t bytes, ramus_error *err)
{
    uint64_t x = 0;
    if (!take_number(m, bytes, &x)) return broken(m, "the end", err);
    if (code == 'q' || code == 'r') return memorise(m, x, err);
    if (code == 'h' || code == 'j') return recall(m, x, err);
    if (code == 0x8a) return push_number(m, (size_t)x, true, err);
    return x == 2 ? RAMUS_OK : broken(m, "another protocol than 2", err);
}

static ramus_status step(machine *m, int code, ramus_error *err)
{
    switch (code) {
    case 0x80: // PROTO
    case 'q':  // BINPUT
    case 'h':  // BINGET
    case 0x8a: // LONG1
        return with_operand(m, code, 1, err);
    case 'r': // LONG_BINPUT
    case 'j': // LONG_BINGET
        return with_operand(m, code, 4, err);
    case 'X': // BINUNICODE
        return push_text(m, 4, err);
    case 'K': // BININT1
        return push_number(m, 1, false, err);
    case 'M': // BININT2
        return push_number(m, 2, false, err);
    case 'J': // BININT
        return push_number(m, 4, true, err);
    case 0x88: // NEWTRUE
    case 0x89: // NEWFALSE
        return push(m, (value){.kind = NUMBER, .number = code == 0x88}, err);
    case '(': // MARK
        return push(m, (value){.kind = MARK}, err);
    case 'N': // NONE
    case ']': // EMPTY_LIST
        return push(m, (value){.kind = OTHER}, err);
    case '}': // EMPTY_DICT
        return push(m, (value){.kind = DICT}, err);
    case ')': // EMPTY_TUPLE
        return make_tuple(m, 0, false, err);
    case 0x85: // TUPLE1
    case 0x86: // TUPLE2
    case 0x87: // TUPLE3
        return make_tuple(m, code - 0x84, false, err);
    case 't': // TUPLE
        return make_tuple(m, above_mark(m), true, err);
    case 'c': // GLOBAL
        return push_call(m, err);
    case 'Q': // BINPERSID
        return make_storage(m, err);
    case 'R': // REDUCE
        return reduce(m, err);
    case 's': // SETITEM
        return set_items(m, 2, false, err);
    case 'u': // SETITEMS
        return set_items(m, above_mark(m), true, err);
    case 'a': // APPEND
        return drop(m, 1, false, err);
    case 'e': // APPENDS
        return drop(m, above_mark(m), true, err);
    case 'b': // BUILD: attributes of a dictionary
        if (!peek(m, 1, DICT)) return broken(m, "attributes of no dictionary", err);
        m->stack.n--;
        return RAMUS_OK;
    case '.': // STOP
        m->done = true;
        return RAMUS_OK;
    default:
        return ramus_fail(err, RAMUS_BAD_FORMAT,
                          "the pickle is not of a file of tensors: byte %zu: instruction 0x%02x, "
                          "which no such file has; nothing was executed",
                          m->at - 1, (unsigned)code);
    }
}

static ramus_status run(machine *m, ramus_error *err)
{
    ramus_status st = RAMUS_OK;
    while (!m->done && !st) {
        const unsigned char *code = take(m, 1);
        st = code ? step(m, *code, err) : broken(m, "the end", err);
    }
    free(m->stack.items);
    free(m->elements.items);
    free(m->memo.items);
    free(m->tensors);
    free(m->rooms);
    return st;
}

ramus_status ramus_pickle_read(ramus_tensor_list *out, const ramus_stored *archive,
                               const ramus_stored_entry *pickle, ramus_error *err)
{
    machine m = {.archive = archive, .pickle = pickle, .out = out};
    return run(&m, err);
}

ramus_status ramus_pickle_look(ramus_pickle_survey *out, const ramus_stored_entry *pickle,
                               size_t *end, ramus_error *err)
{
    ramus_tensor_list tensors = {0};
    machine m = {.pickle = pickle, .out = &tensors, .survey = out};
    const ramus_status st = run(&m, err);
    ramus_tensor_list_free(&tensors);
    *end = m.at;
    return st;
}

void ramus_pickle_survey_free(ramus_pickle_survey *s)
{
    free(s->storages);
    free(s->listed);
    *s = (ramus_pickle_survey){0};
}
