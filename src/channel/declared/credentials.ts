import type { ConfigProblem } from '../channel';

/** The header for Basic authentication, and the encoded credentials, which errors must not contain. */
export interface BasicCredentials {
  headers: Readonly<Record<string, string>>;
  hidden: readonly string[];
}

/** Returns the credentials for a user name and password. There are none without both. */
export function basicCredentials(username: string | undefined, password: string | undefined): BasicCredentials {
  if (username === undefined || password === undefined) return { headers: {}, hidden: [] };
  const encoded = Buffer.from(`${username}:${password}`).toString('base64');
  return { headers: { authorization: `Basic ${encoded}` }, hidden: [encoded] };
}

/** Returns a problem if only one of user name and password is set, or both a password and a token. */
export function credentialsProblems(config: {
  username?: string;
  password?: string;
  access_token?: string;
}): ConfigProblem[] | null {
  const { username, password, access_token } = config;
  if ((username === undefined) !== (password === undefined)) {
    const key = username === undefined ? 'username' : 'password';
    return [{ key, code: 'required', message: 'is required: set both user name and password, or neither' }];
  }
  if (password !== undefined && access_token !== undefined)
    return [{ key: 'access_token', code: 'invalid_config', message: 'cannot be combined with a password' }];
  return null;
}
