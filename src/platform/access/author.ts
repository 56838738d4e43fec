/**
 * Who did something, as a row keeps it beside what was done: a person by the id alone, whose name is read where it is shown, so
 * that whoever is erased is erased there, too; a key by its name at that time.
 */
export interface Author {
  /** The name as shown; `null` for the service itself and for whoever was authenticated by neither. */
  by: string | null;
  /** uuid; `null` unless a person did it. */
  personId: string | null;
}

/** Stands for the name of a person who was erased. */
export const DELETED_PERSON = 'deleted person';

/** What the column beside the id holds: no name of a person. */
export const storedName = ({ by, personId }: Author): string | null => (personId === null ? by : null);

/** In SQL: the name to show of these two columns. Cost: of a person one look-up by key, else none. */
export const authorName = (name: string, personId: string): string =>
  `CASE WHEN ${personId} IS NULL THEN ${name} ELSE COALESCE((SELECT p.name FROM person p WHERE p.id = ${personId}), '${DELETED_PERSON}') END`;

/** As `authorName`, of people's names by their ids. */
export const nameAmong = (names: Readonly<Record<string, string>> | null, { by, personId }: Author): string | null =>
  personId === null ? by : (names?.[personId] ?? DELETED_PERSON);
