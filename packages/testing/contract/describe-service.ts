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
 * Declares the whole public contract as a Jest suite that uses only HTTP. It runs against this service or another
 * implementation, optionally behind a proxy. The names of failed tests show what is broken. Call it anywhere `describe`
 * is allowed.
 *
 * `baseUrl` is the part before `/api/v1`. The URL and the keys can be functions, which are called in `beforeAll`. The
 * keys must belong to one organization, and that organization's checks and notifications must be able to reach the
 * suite (`options.suite`). With the operator's token, the suite creates a second organization. Everything that the
 * suite creates has a unique name and is removed at the end, even after failures. Audit log entries remain. The last
 * tests evaluate all the others, so run the whole suite in order. Each test in the calling file has a timeout of 120 s.
 * The optional peers `ajv` and `ajv-formats` are required. Without them, `beforeAll` throws an error that names them.
 */
export function describeService(baseUrl: Given<string>, keys: ServiceKeys, options: ServiceContractOptions = {}): void {
  describeContract(baseUrl, keys, options, RULES);
}

/** Like `describeService`, but with a selection of the rules for all routes. */
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

/** The timeout for a test on a busy machine. If the service is idle, a test takes less than a second. */
const TIMEOUT_MS = 120_000;

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
