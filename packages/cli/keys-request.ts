import { parseId } from '../../src/platform/ids/id';
import { parseOrUsage, UsageError } from './usage-error';

export const KEYS_USAGE = `usage: npm run keys -- create [--role ROLE] [--name NAME] [--expires TIME] [--organization ORG] [--json]
       npm run keys -- ls [--organization ORG] [--json]
       npm run keys -- revoke KEY_ID [--organization ORG]

Creates, lists, and revokes API keys directly in the database. Use it if the last admin key is lost. It reads the same
variables as the service, and .env. With the embedded database, stop the service first. With PostgreSQL, the service
may be running. Every change is recorded in the audit log.

  --role ROLE          read, responder, write, or admin (default)
  --name NAME          the name of the key; default "Created on the command line"
  --expires TIME       when the key stops working: 2027-12-31, or a time with Z or an offset; default never
  --organization ORG   name or ID (org_…); default "Default", or all organizations for ls
  --json               print JSON in the form that the API returns

create prints only the new key on stdout: UPTIME_API_KEY=$(npm run --silent keys -- create)
revoke takes the ID that ls shows. The name list also works.
If you installed the package, use npx uptime-monitor-keys instead of npm run keys --.

Exit codes:
  0  success
  1  failed
  2  usage error`;

/** A request to create a key, as given on the command line. */
export interface CreateRequest {
  readonly action: 'create';
  readonly name: string;
  readonly role: string;
  readonly expires: string | undefined;
  readonly organization: string;
  readonly json: boolean;
}

/** The action to run. */
export type KeysRequest =
  | CreateRequest
  | { readonly action: 'list'; readonly organization: string | undefined; readonly json: boolean }
  /** `id` is the UUID of the key that the user typed as `named`. */
  | { readonly action: 'revoke'; readonly named: string; readonly id: string; readonly organization: string };

/** Parses the arguments. Returns `null` if the user asked for help. Throws: `UsageError`. */
export function keysRequest(args: string[]): KeysRequest | null {
  const { values, positionals } = parseOrUsage({ args, allowPositionals: true, options: OPTIONS });
  if (values.help) return null;
  const { json, organization, role, name, expires } = values;
  const [action, named, ...rest] = positionals;
  if (rest.length > 0 || (action === 'revoke') !== (named !== undefined)) throw new UsageError(KEYS_USAGE);
  switch (action) {
    case 'create':
      return { action, name, role, expires, organization: organization ?? DEFAULT, json };
    case 'list':
    case 'ls':
      return { action: 'list', organization, json };
    case 'revoke':
      return { action, named: named ?? '', id: keyId(named ?? ''), organization: organization ?? DEFAULT };
    default:
      throw new UsageError(KEYS_USAGE);
  }
}

const OPTIONS = {
  role: { type: 'string', default: 'admin' },
  name: { type: 'string', default: 'Created on the command line' },
  expires: { type: 'string' },
  organization: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;
const DEFAULT = 'Default';

function keyId(named: string): string {
  const id = parseId('apiKey', named);
  if (id !== null) return id;
  throw new UsageError(`the key must be given by its ID (key_…), which ls shows, not as ${named.slice(0, 8)}…`);
}
