/* A binary search in the ranges that tools/make_unicode_tables.py wrote. */
#include "eval/category.h"

#include "base/status.h"
#include "eval/category_table.inc"

ramus_category ramus_category_of(uint32_t code)
{
    if (ramus_code_range_has(punctuation, RAMUS_COUNT(punctuation), code))
        return RAMUS_CATEGORY_PUNCTUATION;
    if (ramus_code_range_has(symbols, RAMUS_COUNT(symbols), code)) return RAMUS_CATEGORY_SYMBOL;
    if (ramus_code_range_has(numbers, RAMUS_COUNT(numbers), code)) return RAMUS_CATEGORY_NUMBER;
    return RAMUS_CATEGORY_OTHER;
}

bool ramus_category_is_space(uint32_t code)
{
    static const ramus_code_range spaces[] = {
        {0x9, 0xD},       {0x1C, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680},
        {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
    return ramus_code_range_has(spaces, RAMUS_COUNT(spaces), code);
}
