/* page.h - a page read again: what it has, and a checker of its markup. */
#ifndef TEST_REPORT_PAGE_H
#define TEST_REPORT_PAGE_H

#include "check.h"

#include <stdlib.h>

static char *page; // the last one that was made

static int count(const char *part)
{
    int n = 0;
    for (const char *at = page; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

#define EXPECT_PAGE(part)     EXPECT(strstr(page, (part)), "the page lacks \"%s\"", part)
#define EXPECT_NOT_PAGE(part) EXPECT(!strstr(page, (part)), "the page has \"%s\"", part)

/* --- a checker of markup: the syntax of XML, without what our pages do not use ---------------- */

static int is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

/* Passes "&#123;"; returns NULL when there is something else. */
static const char *pass_entity(const char *s)
{
    if (strncmp(s, "&#", 2) != 0) return NULL;
    s += 2 + strspn(s + 2, "0123456789");
    return *s == ';' ? s + 1 : NULL;
}

/* Passes the attributes of a tag up to its '>' or "/>". */
static const char *pass_attributes(const char *s)
{
    while (*s == ' ') {
        s++;
        if (!is_name(*s)) return NULL;
        while (is_name(*s))
            s++;
        if (strncmp(s, "=\"", 2) != 0) return NULL;
        for (s += 2; s && *s != '"';) {
            if (!*s || *s == '<') return NULL;
            s = *s == '&' ? pass_entity(s) : s + 1;
        }
        if (!s) return NULL;
        s++;
    }
    return s;
}

/* Returns where the page stops being well formed; NULL when it is. */
static const char *find_fault(const char *s)
{
    char open[32][16];
    int depth = 0;
    static const char doctype[] = "<!DOCTYPE html>\n";
    if (strncmp(s, doctype, strlen(doctype)) != 0) return s;
    s += strlen(doctype);
    while (*s) {
        const char *start = s;
        if (*s == '&') {
            s = pass_entity(s);
            if (!s) return start;
            continue;
        }
        if (*s != '<') {
            if ((unsigned char)*s >= 0x7F || (unsigned char)*s < '\n') return s;
            if (depth == 0 && *s != '\n') return s;
            s++;
            continue;
        }
        const int closes = s[1] == '/';
        s += 1 + closes;
        char name[16] = {0};
        for (int i = 0; is_name(*s) && i < 15; i++)
            name[i] = *s++;
        if (closes) {
            if (*s != '>' || depth == 0 || strcmp(open[--depth], name) != 0) return start;
            s++;
            continue;
        }
        s = pass_attributes(s);
        if (!s || !*name) return start;
        if (strncmp(s, "/>", 2) == 0) {
            s += 2;
            continue;
        }
        if (*s != '>' || depth == 32) return start;
        memcpy(open[depth++], name, sizeof name);
        s++;
    }
    return depth ? s : NULL;
}

static void expect_well_formed(const char *what)
{
    const char *fault = find_fault(page);
    EXPECT(!fault, "%s: byte %ld: %.60s", what, fault ? (long)(fault - page) : 0,
           fault ? fault : "");
    static const char *const elsewhere[] = {"http", "<script", "url(", "src=", "<link", "@import"};
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        EXPECT_NOT_PAGE(elsewhere[i]);
    EXPECT(!strstr(page, "nan") && !strstr(page, "inf"), "%s: a number that is none", what);
}

#endif
