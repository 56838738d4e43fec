/** The reason given when the last administrator of an organization must stay one. */
export const LAST_ADMIN =
  'another member has to be an administrator first, because an organization that has members needs at least one.';
