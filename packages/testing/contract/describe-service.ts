import { describeAcknowledgements } from './behaviour/acknowledgements';
import { describeAudit } from './behaviour/audit';
import { describeChecks } from './behaviour/checks';
import { describeConfiguration } from './behaviour/configuration';
import { describeHeartbeats } from './behaviour/heartbeats';
import { describeIncidents } from './behaviour/incidents';
import { describeNotifications } from './behaviour/notifications';
import { describeRequests } from './behaviour/requests';
import { describeStream } from './behaviour/stream';
import { describeAlerts } from './resources/alerts';
import { describeChannels } from './resources/channels';
import { describeContacts } from './resources/contacts';
import { describeEndpoints } from './resources/endpoints';
import { describeIsolation } from './resources/isolation';
import { describeKeys } from './resources/keys';
import { describeMaintenance } from './resources/maintenance';
import { describePaging } from './resources/paging';
import { describeProbes } from './resources/probes';
import { describeSecrets } from './resources/secrets';
import { describeStatusPages } from './resources/status-pages';
import { describeWebsites } from './resources/websites';
import { describeAccess } from './rules/access';
import { describeAddresses } from './rules/addresses';
import { describeCoverage } from './rules/coverage';
import { describeInput } from './rules/input';
import { describeRepeating } from './rules/repeating';
import { Scene } from './rules/scene';
import { describeSizes } from './rules/sizes';
import { describeTakingBack } from './rules/taking-back';
import { describeSuccesses } from './rules/successes';
import type { Given, ServiceContractOptions, ServiceKeys } from './session/service-keys';
import { Session, type TheSession } from './session/session';

/**
 * The whole public contract as a jest suite that speaks HTTP only: with this service, with somebody's reimplementation of it, or with
 * either behind a proxy. What fails says by its name what is broken. Call it where `describe` may stand.
 *
 * `baseUrl` is what stands before `/api/v1`. It and the keys may be functions, which are asked in `beforeAll`. The keys are of one
 * organization, which may check and notify the suite (`options.suite`); with the operator's token a second organization is made.
 * Whatever the suite makes has a name of its own and is removed at the end, also after failures; the audit log keeps its entries.
 * Its last tests look at what the others have seen: they need the whole suite, in its order.
 * The tests of a file that calls it have 120 s each. Needs the optional peers `ajv` and `ajv-formats`; without them `beforeAll`
 * throws a sentence that says so.
 */
export function describeService(baseUrl: Given<string>, keys: ServiceKeys, options: ServiceContractOptions = {}): void {
  describeContract(baseUrl, keys, options, RULES);
}

/** As `describeService`, with these of the rules for all routes. */
export function describeContract(
  baseUrl: Given<string>,
  keys: ServiceKeys,
  { name = 'the public contract', ...options }: ServiceContractOptions,
  rules: typeof RULES,
): void {
  const hasOperator = keys.operator !== null;
  jest.setTimeout(TIMEOUT_MS);
  let opened: Session | null = null;
  let scene: Scene | null = null;
  const session = () => {
    if (!opened) throw new Error('the suite has not started');
    return opened;
  };
  const theScene = () => (scene ??= new Scene(session()));

  describe(name, () => {
    beforeAll(async () => void (opened = await Session.open(baseUrl, keys, options)));
    afterAll(() => opened?.close());

    for (const describeOne of rules) describeOne(session, theScene, hasOperator);
    describeSuccesses(session, theScene, hasOperator);
    for (const describeOne of RESOURCES) describeOne(session);
    describeIsolation(session, theScene, hasOperator);
    for (const describeOne of BEHAVIOURS) describeOne(session);
    describeCoverage(session, hasOperator);
  });
}

/** For one test on a machine that is busy; a service that is idle needs no second. */
const TIMEOUT_MS = 120_000;

/** What holds for every route. */
const RULES: readonly ((session: TheSession, scene: () => Scene, hasOperator: boolean) => void)[] = [
  describeAccess,
  describeAddresses,
  describeInput,
  describeRepeating,
  describeTakingBack,
  describeSizes,
];

const RESOURCES = [
  describeWebsites,
  describeEndpoints,
  describeAlerts,
  describeChannels,
  describeContacts,
  describeMaintenance,
  describeStatusPages,
  describeKeys,
  describeProbes,
  describeSecrets,
  describePaging,
];

const BEHAVIOURS = [
  describeChecks,
  describeHeartbeats,
  describeIncidents,
  describeNotifications,
  describeAcknowledgements,
  describeStream,
  describeRequests,
  describeConfiguration,
  describeAudit,
];
