/**
 * The author of an action, as stored with the action. For a person, only the ID is stored, and the name is looked up on
 * display. Erasing the person therefore removes the name everywhere. For a key, the name that it had at that time is
 * stored.
 */
export interface Author {
  /** The name to show, or `null` for the service itself and for unauthenticated requests. */
  by: string | null;
  /** A UUID, or `null` if the author isn't a person. */
  personId: string | null;
}

/** Shown instead of the name of a person who was erased. */
export const DELETED_PERSON = 'deleted person';

/** Returns the value for the name column, which never contains a person's name. */
export const storedName = ({ by, personId }: Author): string | null => (personId === null ? by : null);

/** SQL: the name to show for these two columns. Cost: one key lookup for a person, otherwise none. */
export const authorName = (name: string, personId: string): string =>
  `CASE WHEN ${personId} IS NULL THEN ${name} ELSE COALESCE((SELECT p.name FROM person p WHERE p.id = ${personId}), '${DELETED_PERSON}') END`;

/** Works like `authorName`, with people's names given by ID. */
export const nameAmong = (names: Readonly<Record<string, string>> | null, { by, personId }: Author): string | null =>
  personId === null ? by : (names?.[personId] ?? DELETED_PERSON);
