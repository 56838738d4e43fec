/** The ways to start a session. */
export const SIGN_INS = ['api_key', 'sign_in_link', 'password', 'invitation', 'single_sign_on', 'proxy'] as const;
export type SignIn = (typeof SIGN_INS)[number];
