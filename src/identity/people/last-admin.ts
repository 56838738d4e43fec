/** The reason that is shown if an organization's last administrator can't be removed or demoted. */
export const LAST_ADMIN =
  'another member has to be an administrator first, because an organization that has members needs at least one.';
