/** Why the last administrator among the people of an organization stays one. */
export const LAST_ADMIN =
  'another member has to be an administrator first, because an organization that has members needs at least one.';
