/** The reason given when the last administrator of an organization must stay one. */
export const LAST_ADMIN =
  'somebody else has to be an administrator first, or nobody could look after the people in it.';
