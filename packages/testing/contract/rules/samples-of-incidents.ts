import { newIncident } from '../session/incidents';
import { createdIn } from '../session/things';
import type { Samples } from './sample';
import type { Scene } from './scene';

const manual = async (scene: Scene) => ({ params: { id: await scene.manualIncident() } });
const together = async (scene: Scene) => ({ params: { id: await (await scene.downTogether()).together() } });

/** Returns an incident with a new update. */
const said = async (scene: Scene) => {
  const { params } = await manual(scene);
  const made = await scene.session.write.post<{ id: string }>(`/incidents/${params.id}/updates`, {
    text: 'We know why.',
  });
  return { params: { ...params, updateId: createdIn(made).id } };
};

const acknowledged = async (scene: Scene) => {
  const sample = await together(scene);
  await scene.session.write.put(`/incidents/${sample.params.id}/acknowledgement`, { note: 'in hand' });
  return sample;
};

/** Samples for reading, updating, correcting and acknowledging incidents. */
export const INCIDENT_SAMPLES: Samples = {
  listIncidents: async ({ endpoint }) => ({ query: `endpoint_id=${await endpoint()}&limit=2` }),
  createIncident: async ({ session, endpoint }) => ({
    json: { title: session.name('incident'), scope: { endpoint_ids: [await endpoint()] }, text: 'We look into it.' },
  }),
  getIncident: manual,
  listIncidentEndpoints: together,
  getIncidentTimeline: together,
  updateIncident: async (scene) => ({ ...(await manual(scene)), json: { title: scene.session.name('incident') } }),
  deleteIncident: async ({ session, endpoint }) => ({
    params: { id: (await newIncident(session, await endpoint())).id },
  }),
  // Uses a separate incident, because an incident can have at most 100 updates by people.
  createIncidentUpdate: async ({ session, endpoint }) => ({
    params: { id: (await newIncident(session, await endpoint())).id },
    json: { text: 'We know why.', status: 'identified' },
  }),
  editIncidentUpdate: async (scene) => ({ ...(await said(scene)), json: { text: 'We know better.' } }),
  deleteIncidentUpdate: said,
  splitIncident: async (scene) => ({
    ...(await together(scene)),
    json: { endpoint_ids: [(await scene.downTogether()).endpoints[1]] },
  }),
  mergeIncidents: async (scene) => {
    const [id, other] = await (await scene.downTogether()).apart();
    return { params: { id }, json: { incident_ids: [other] } };
  },
  getIncidentAcknowledgement: acknowledged,
  acknowledgeIncident: async (scene) => ({ ...(await together(scene)), json: { note: 'in hand' } }),
  deleteIncidentAcknowledgement: acknowledged,
};
