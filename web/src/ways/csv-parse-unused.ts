/** Parts of `csv-parse` for unknown delimiters and for records as objects, neither of which the shared readers ask for. */
export const delimiter_discover = undefined;
export const normalize_columns_array = undefined;
