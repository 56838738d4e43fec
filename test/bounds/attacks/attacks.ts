import type { Attack } from '../scene';
import { ON_BODIES } from './on-bodies';
import { ON_CHECKS } from './on-checks';
import { ON_DELIVERIES } from './on-deliveries';
import { ON_DOCUMENTS } from './on-documents';
import { ON_PINGS } from './on-pings';
import { ON_REQUESTS } from './on-requests';
import { BY_STRANGERS } from './by-strangers';

/** Files that every attack uses, and the limits on nearly all of them. */
const STAGE = [
  ...['scene.ts', 'victim.ts', 'visitors.ts', 'client.ts', 'attacks/targets.ts'].map((file) => `test/bounds/${file}`),
  'src/platform/capacity',
];

const of = (file: string, attacks: readonly Attack[]): Attack[] =>
  attacks.map((attack) => ({ ...attack, covers: [...attack.covers, `test/bounds/attacks/${file}`, ...STAGE] }));

export const ATTACKS: readonly Attack[] = [
  ...of('on-checks.ts', ON_CHECKS),
  ...of('on-requests.ts', ON_REQUESTS),
  ...of('on-bodies.ts', ON_BODIES),
  ...of('on-documents.ts', ON_DOCUMENTS),
  ...of('on-deliveries.ts', ON_DELIVERIES),
  ...of('on-pings.ts', ON_PINGS),
  ...of('by-strangers.ts', BY_STRANGERS),
];

const nobody: Attack = {
  name: 'nobody',
  what: 'nothing happens: for comparison',
  covers: [],
  begin: async () => async () => ({ text: '', asDocumented: true }),
};

/** The victim's results without an attack. */
export const COMPARISON: readonly Attack[] = [
  nobody,
  { ...nobody, name: 'nobody, while the host hangs', breakage: 'silence' },
];
