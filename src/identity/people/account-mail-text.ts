const CHANGES = {
  password_changed: 'Your password was changed',
  password_set_by_link: 'Your password was set with a link',
  identity_connected: 'Single sign-on was connected to your account',
  identity_removed: 'Single sign-on was disconnected from your account',
  email_changed: 'Your email address was changed',
  second_factor_added: 'A second factor was added to your account',
  second_factor_removed: 'The second factor was removed from your account',
} as const;
export type AccountChange = keyof typeof CHANGES;

interface Happened {
  at: Date;
  /** The client's IP address, or `null` for a change on the host of the service. */
  address: string | null;
  email: string;
  /** The value of `PUBLIC_URL`. */
  home: string | null;
}

/**
 * Returns the email about a change. Contains no text that a user can choose, because the email is sent on behalf of the
 * installation.
 */
export function accountMail(
  change: AccountChange,
  { at, address, email, home }: Happened,
): { subject: string; text: string } {
  const subject = CHANGES[change];
  const account = home === null ? 'Settings › My account' : `${home}/#/settings/account`;
  return {
    subject,
    text: [
      `${subject}.`,
      [
        `When: ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
        `From: ${address ?? 'the machine that runs the service'}`,
        `Account: ${email}${home === null ? '' : ` at ${home}`}`,
      ].join('\n'),
      'If you did this or asked for it, you do not need to do anything.',
      `If you did not: open ${account}, set a new password, end your other sessions, and remove every single sign-on connection that you do not recognize. If you can no longer sign in, ask an admin of your organization or the operator of the service for a link to set a password.`,
      '',
    ].join('\n\n'),
  };
}
