import { parseOrUsage, UsageError } from '../usage-error';

export const PEOPLE_USAGE = `usage: uptime members ls [--json]
       uptime members invite EMAIL [--role ROLE] [--organization ORG] [--operator] [--json]
       uptime members link USER [--json]
       uptime members unlink USER
       uptime members operator USER on|off
       uptime members email USER NEW_EMAIL
       uptime members connect USER SUBJECT [--proxy]
       uptime members disconnect USER
       uptime members reset-second-factor USER
       uptime members rm USER

Manages user accounts directly in the database, for the operator of the machine. Use it if a password, the single sign-on,
or the last admin is lost. It reads the same variables as the service, and .env. With the embedded database, stop the
service first. With PostgreSQL, the service may be running. Every change is recorded in the audit log.

  invite       print a link that works once, for 7 days. With it, one user creates an account or joins with an existing one
  link         print a link that signs the user in once, within 15 minutes, also with PASSWORD_LOGIN=off. The user can then
               set a new password on the page My account without the old one
  unlink       revoke every open link of the user, including password links that an admin created
  operator     set whether the user may call the operator routes
  email        change the email that the user signs in with
  connect      let the user SUBJECT of the single sign-on provider (with --proxy: of the reverse proxy) sign in as this user
  disconnect   remove every connection to the single sign-on provider or the proxy, and end the sessions that they started
  reset-second-factor
               turn the second factor off for a user who has lost the app and the recovery codes. They then sign in with
               only the password
  rm           erase the user. Their changes are kept in the history, without the name

  USER                 email or ID (per_…); use the ID if several accounts have the email
  --role ROLE          read, responder, write, or admin (default)
  --organization ORG   name or ID (org_…); default "Default"
  --operator           the user who uses the link also becomes an operator
  --json               print the result as JSON

In a checkout, the command is npm run members --. If you installed the package, it is npx uptime members. The names uptime people,
list, and delete also work.

Exit codes:
  0  success
  1  failed
  2  usage error`;

/** An invitation, as given on the command line. */
export interface InviteRequest {
  readonly action: 'invite';
  readonly email: string;
  readonly role: string;
  readonly organization: string;
  readonly isOperator: boolean;
  readonly json: boolean;
}

/** The action to run. `who` is an email address or an ID. */
export type PeopleRequest =
  | InviteRequest
  | { readonly action: 'list'; readonly json: boolean }
  | { readonly action: 'link'; readonly who: string; readonly json: boolean }
  | { readonly action: 'operator'; readonly who: string; readonly isOperator: boolean }
  | { readonly action: 'email'; readonly who: string; readonly email: string }
  | { readonly action: 'connect'; readonly who: string; readonly subject: string; readonly isProxy: boolean }
  | { readonly action: 'disconnect' | 'reset-second-factor' | 'delete' | 'unlink'; readonly who: string };

/** The number of words that follow each action, and the options that it allows. */
const ACTIONS: Readonly<Record<PeopleRequest['action'], { words: number; options: readonly string[] }>> = {
  list: { words: 0, options: ['json'] },
  invite: { words: 1, options: ['role', 'organization', 'operator', 'json'] },
  link: { words: 1, options: ['json'] },
  unlink: { words: 1, options: [] },
  operator: { words: 2, options: [] },
  email: { words: 2, options: [] },
  connect: { words: 2, options: ['proxy'] },
  disconnect: { words: 1, options: [] },
  'reset-second-factor': { words: 1, options: [] },
  delete: { words: 1, options: [] },
};

const OPTIONS = {
  role: { type: 'string' },
  organization: { type: 'string' },
  operator: { type: 'boolean' },
  proxy: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const SWITCHES: Readonly<Record<string, boolean>> = { on: true, off: false };

/** Short names of actions, as in the other commands. */
const OTHER_NAMES: Readonly<Record<string, PeopleRequest['action'] | undefined>> = { ls: 'list', rm: 'delete' };

/** Parses the arguments. Returns `null` if the user asked for help. Throws: `UsageError`. */
export function peopleRequest(args: string[]): PeopleRequest | null {
  const { values, positionals } = parseOrUsage({ args, allowPositionals: true, options: OPTIONS });
  if (values.help === true) return null;
  const [word = '', ...words] = positionals;
  const named = OTHER_NAMES[word] ?? word;
  if (!isAction(named) || words.length !== ACTIONS[named].words) throw new UsageError(PEOPLE_USAGE);
  const extra = Object.keys(values).find((option) => !ACTIONS[named].options.includes(option));
  if (extra !== undefined) throw new UsageError(`--${extra} cannot be used with ${word}`);
  const [who = '', second = ''] = words;
  const { role = 'admin', organization = 'Default', json = false } = values;
  switch (named) {
    case 'list':
      return { action: named, json };
    case 'invite':
      return { action: named, email: who, role, organization, isOperator: values.operator === true, json };
    case 'link':
      return { action: named, who, json };
    case 'operator':
      return { action: named, who, isOperator: onOrOff(second) };
    case 'email':
      return { action: named, who, email: second };
    case 'connect':
      return { action: named, who, subject: subjectOf(second), isProxy: values.proxy === true };
    case 'disconnect':
    case 'reset-second-factor':
    case 'delete':
    case 'unlink':
      return { action: named, who };
    default:
      return named satisfies never;
  }
}

const isAction = (word: string): word is PeopleRequest['action'] => Object.hasOwn(ACTIONS, word);

function onOrOff(word: string): boolean {
  const isOn = SWITCHES[word];
  if (isOn === undefined) throw new UsageError(`operator must be on or off, not ${word}`);
  return isOn;
}

/** Validates the subject given to an `identity` action. */
function subjectOf(word: string): string {
  if (/^\P{C}{1,255}$/u.test(word)) return word;
  throw new UsageError('SUBJECT must have 1 to 255 visible characters');
}
