/** Where in a file something is: on a line of a text, or the number of an entry of JSON. */
export interface Place {
  /** The file in an archive. */
  file?: string;
  unit: 'line' | 'entry';
  number: number;
}

export const nameOfPlace = ({ file, unit, number }: Place): string =>
  `${file === undefined ? '' : `${file}, `}${unit} ${number}`;

/** The file is invalid from a place on, or as a whole. */
export class ReadError extends Error {
  constructor(
    readonly reason: string,
    readonly place?: Place,
  ) {
    super(place ? `${nameOfPlace(place)}: ${reason}` : reason);
  }
}
