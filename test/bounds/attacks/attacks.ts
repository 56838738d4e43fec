import type { Attack } from '../scene';
import { ON_BODIES } from './on-bodies';
import { ON_CHECKS } from './on-checks';
import { ON_DELIVERIES } from './on-deliveries';
import { ON_REQUESTS } from './on-requests';

export const ATTACKS: readonly Attack[] = [...ON_CHECKS, ...ON_REQUESTS, ...ON_BODIES, ...ON_DELIVERIES];

const nobody: Attack = {
  name: 'nobody',
  what: 'nothing happens: for comparison',
  begin: async () => async () => ({ text: '', asDocumented: true }),
};

/** What the victim feels when there is no attack. */
export const COMPARISON: readonly Attack[] = [
  nobody,
  { ...nobody, name: 'nobody, while the host hangs', breakage: 'silence' },
];
