const bytes = (text: string): Uint8Array => Buffer.from(text);

/**
 * What `csv-parse` makes of the options of the shared readers. Its own module checks and converts every option that there is, which
 * is a sixth of the parser.
 */
export const normalize_options = ({ delimiter, ...given }: { delimiter: string }) => ({
  encoding: 'utf8',
  cast_function: null,
  cast_date: false,
  columns: false,
  group_columns_by_name: false,
  comment: null,
  comment_no_infix: false,
  delimiter_auto: false,
  delimiter: [bytes(delimiter)],
  escape: bytes('"'),
  quote: bytes('"'),
  record_delimiter: [],
  from: 1,
  from_line: 1,
  ignore_last_delimiters: false,
  raw: false,
  relax_column_count_less: false,
  relax_column_count_more: false,
  skip_records_with_empty_values: false,
  skip_records_with_error: false,
  rtrim: false,
  ltrim: false,
  trim: false,
  to: -1,
  to_line: -1,
  ...given,
});
