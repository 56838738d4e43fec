/**
 * The author of an action, as stored with it. For a person only the ID is stored and the name is read on display, so
 * erasing the person removes the name everywhere. For a key, the name at that time is stored.
 */
export interface Author {
  /** The name to show, or `null` for the service itself and for requests without authentication. */
  by: string | null;
  /** A UUID, or `null` unless a person did it. */
  personId: string | null;
}

/** Replaces the name of a person who was erased. */
export const DELETED_PERSON = 'deleted person';

/** Returns the value for the name column, which never contains a person's name. */
export const storedName = ({ by, personId }: Author): string | null => (personId === null ? by : null);

/** SQL: the name to show for these two columns. Cost: one look-up by key for a person, else none. */
export const authorName = (name: string, personId: string): string =>
  `CASE WHEN ${personId} IS NULL THEN ${name} ELSE COALESCE((SELECT p.name FROM person p WHERE p.id = ${personId}), '${DELETED_PERSON}') END`;

/** Works as `authorName`, with the names of people by their IDs. */
export const nameAmong = (names: Readonly<Record<string, string>> | null, { by, personId }: Author): string | null =>
  personId === null ? by : (names?.[personId] ?? DELETED_PERSON);
