/** Why the last administrator among the people of an organization stays one. */
export const LAST_ADMIN =
  'somebody else has to be an administrator first, or nobody could look after the people in it.';
