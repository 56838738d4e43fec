import { eventually } from '../../eventually';
import { BY_ITSELF_MS } from '../session/checked-endpoint';
import { createdIn } from '../session/things';
import type { Samples } from './sample';
import type { Scene } from './scene';

const endpoint = async (scene: Scene) => ({ params: { id: await scene.endpoint() } });
const incident = async (scene: Scene) => ({ params: { id: (await scene.incident()).endpoint } });
const delivery = async (scene: Scene) => ({ params: { id: (await scene.incident()).delivery } });
const acknowledged = async (scene: Scene) => {
  const sample = await incident(scene);
  await scene.session.write.put(`/endpoints/${sample.params.id}/acknowledgement`, { note: 'in hand' });
  return sample;
};
const limited = () => ({ query: 'limit=2' });

/** Returns an empty document whose owner is unique to this run. */
const nothing = ({ session }: Scene) => ({ json: { version: 1, owner: session.key('owner') } });

/** Samples for reading events, and for managing keys, organizations, sessions, and the configuration. */
export const EVENT_SAMPLES: Samples = {
  listDeliveries: async (scene) => ({ params: { id: (await scene.incident()).alert } }),
  listEndpointDeliveries: incident,
  listFailedDeliveries: () => ({ query: 'state=failed&limit=2' }),
  getDelivery: delivery,
  redeliver: async (scene) => {
    const sample = await delivery(scene);
    const isDelivered = async () =>
      (await scene.session.read.get<{ state: string }>(`/deliveries/${sample.params.id}`)).body.state === 'delivered';
    await eventually('the delivery of an incident to be delivered', isDelivered, BY_ITSELF_MS);
    return sample;
  },
  listAlertEvents: limited,
  getAcknowledgement: acknowledged,
  acknowledge: async (scene) => ({ ...(await incident(scene)), json: { note: 'in hand' } }),
  deleteAcknowledgement: acknowledged,
  stream: () => ({}),
  getOverview: limited,
  getOverviewDown: () => ({}),
  getMetrics: () => ({}),
  listChecks: endpoint,
  runCheck: endpoint,
  getUptime: endpoint,
  getLatency: endpoint,

  exportConfiguration: ({ session }) => ({ query: `owner=${session.key('owner')}` }),
  applyConfiguration: nothing,
  planConfiguration: nothing,
  convertConfiguration: () => ({
    query: 'from=gatus',
    json: { endpoints: [{ name: 'front', url: 'https://contract.example', conditions: ['[STATUS] == 200'] }] },
  }),

  getCurrentOrganization: () => ({}),
  updateCurrentOrganization: () => ({ json: { requires_second_factor: false } }),
  listApiKeys: limited,
  createApiKey: ({ session }) => ({ json: { name: session.name('key'), role: 'read' } }),
  deleteApiKey: async ({ session }) => {
    const made = await session.admin.post<{ id: string }>('/api-keys', { name: session.name('key'), role: 'read' });
    return { params: { id: createdIn(made).id } };
  },
  listAuditLog: limited,
  getSystem: () => ({}),
  signIn: ({ session }) => ({ json: { api_key: session.read.key } }),
  getSession: async ({ cookie }) => ({ headers: { cookie: await cookie() } }),
  signOut: () => ({}),

  listOrganizations: limited,
  listOperatorAuditLog: limited,
  createOrganization: ({ session }) => ({ json: { name: session.name('organization') } }),
  updateOrganization: async (scene) => ({
    params: { id: (await scene.other()).id },
    json: { name: scene.session.name('organization') },
  }),
  deleteOrganization: async ({ session }) => {
    const made = await session.operator.post<{ id: string }>('/organizations', { name: session.name('organization') });
    return { params: { id: createdIn(made).id } };
  },
};
