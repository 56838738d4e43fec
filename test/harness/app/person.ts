import type { Api } from '../../../packages/testing/service/api';
import { newUuid } from '../../../src/platform/ids/id';
import { codeAt, stepAt } from '../../../src/identity/person/totp';
import { Passwords } from '../../../src/identity/person/passwords.service';
import type { TestApp } from './app';
import { Browser } from './browser';

/** Makes password hashing nearly instant in this service. */
export function hashCheaply(app: TestApp): void {
  app.app.get(Passwords).cost = { ln: 4, r: 8, p: 1 };
}

export const PASSWORD = 'three wise monkeys';

/** A member of the app's organization, with their browser. */
export interface Member {
  id: string;
  email: string;
  browser: Browser;
}

/** Invites a user to the app's organization. The user then creates an account. */
export function newMember(app: TestApp, role = 'read', email = `${newUuid()}@people.example`): Promise<Member> {
  hashCheaply(app);
  return joined(app.admin, email, email.split('@')[0] ?? '', role);
}

/** Returns the token for an invitation to the app's organization. */
export const newInvitation = (app: TestApp, role = 'read', email = `${newUuid()}@people.example`): Promise<string> =>
  invited(app.admin, email, role);

/** Returns a user, with a separate browser, who was invited to this key's organization and has joined it. */
export async function newPerson(by: Api, name: string, role = 'write'): Promise<Browser & { id: string }> {
  const email = `${name.toLowerCase().replace(/\W+/g, '.')}@example.com`;
  const { browser, id } = await joined(by, email, name, role);
  return Object.assign(browser, { id });
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Decodes a secret like an authenticator app does. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((character) => BASE32.indexOf(character).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
}

/** Starts setting up a second factor. Returns the code that confirms it, based on this machine's clock. */
export async function draftSecondFactor({ browser }: Pick<Member, 'browser'>): Promise<string> {
  const { status, body } = await browser.send<{ secret: string }>('POST', '/auth/account/second-factor', {
    current_password: PASSWORD,
  });
  if (status !== 201) throw new Error(`no second factor is drafted: ${status} ${JSON.stringify(body)}`);
  return codeAt(fromBase32(body.secret), stepAt(new Date()));
}

/** Sets up a second factor. Returns the first recovery code. */
export async function newSecondFactor(member: Pick<Member, 'browser'>): Promise<string> {
  const code = await draftSecondFactor(member);
  const path = '/auth/account/second-factor/confirm';
  const { status, body } = await member.browser.send<{ recovery_codes: string[] }>('POST', path, { code });
  if (status !== 201) throw new Error(`the second factor is not confirmed: ${status} ${JSON.stringify(body)}`);
  return body.recovery_codes[0] ?? '';
}

async function invited(by: Api, email: string, role: string): Promise<string> {
  const { status, body, text } = await by.post<{ token: string }>('/invitations', { email, role });
  if (status !== 201) throw new Error(`nobody was invited: ${status} ${text}`);
  return body.token;
}

async function joined(by: Api, email: string, name: string, role: string): Promise<Member> {
  const browser = new Browser(by);
  const fields = { token: await invited(by, email, role), name, password: PASSWORD };
  const { status, body } = await browser.send<{ person: { id: string } }>('POST', '/auth/account', fields);
  if (status !== 201) throw new Error(`${name} has no account: ${status} ${JSON.stringify(body)}`);
  return { id: body.person.id, email, browser };
}
