import {
  endpointFields,
  newAlert,
  newContact,
  newEndpoint,
  newPage,
  newWebsite,
  newWindow,
  webhook,
  windowFields,
} from '../session/things';
import type { Samples } from './sample';
import type { Scene } from './scene';

const idOf = async (making: Promise<{ id: string }>) => ({ params: { id: (await making).id } });
const website = async (scene: Scene) => ({ params: { id: await scene.website() } });
const endpoint = async (scene: Scene) => ({ params: { id: await scene.endpoint() } });
const alert = async (scene: Scene) => ({ params: { id: await scene.alert() } });
const contact = async (scene: Scene) => ({ params: { id: await scene.contact() } });
const window = async (scene: Scene) => ({ params: { id: await scene.window() } });
const page = async (scene: Scene) => ({ params: { id: (await scene.page()).id } });

const HOURLY = { every: 3600 };
const newHeartbeat = async ({ session, website: id }: Scene) =>
  newEndpoint(session, { type: 'HEARTBEAT', url: undefined, interval: undefined, heartbeat: HOURLY }, await id());

/** Creates an endpoint and deletes it, so that it can be restored. */
const deleted = async ({ session, website: id }: Scene) => {
  const sample = await idOf(newEndpoint(session, {}, await id()));
  await session.write.delete(`/endpoints/${sample.params.id}`);
  return sample;
};

const newFor = async ({ session, endpoint: id }: Scene) => ({ endpoint_id: await id(), ...webhook(session) });

/**
 * Samples for reading, creating, changing, and removing websites, endpoints, alerts, contacts, maintenance windows, and
 * pages.
 */
export const RESOURCE_SAMPLES: Samples = {
  listWebsites: () => ({ query: 'limit=2' }),
  createWebsite: ({ session }) => ({ json: { name: session.name(), url: 'https://contract.example/' } }),
  getWebsite: website,
  updateWebsite: async (scene) => ({ ...(await website(scene)), json: { tags: ['contract'] } }),
  rotatePingKey: website,
  getWebsiteHistory: website,
  deleteWebsite: ({ session }) => idOf(newWebsite(session)),

  listEndpoints: async ({ website: id }) => ({ params: { websiteId: await id() } }),
  createEndpoint: async ({ session, website: id }) => ({
    params: { websiteId: await id() },
    // A target that every organization may check, with checks turned off.
    json: endpointFields(session, { url: 'https://contract.example/', enabled: false }),
  }),
  searchEndpoints: async ({ website: id }) => ({ query: `website_id=${await id()}` }),
  getEndpoint: endpoint,
  updateEndpoint: async (scene) => ({ ...(await endpoint(scene)), json: { timeout: 9 } }),
  deleteEndpoint: async ({ session, website: id }) => idOf(newEndpoint(session, {}, await id())),
  listDeletedEndpoints: () => ({ query: 'limit=2' }),
  restoreEndpoint: deleted,
  listPings: async (scene) => idOf(newHeartbeat(scene)),
  rotateHeartbeat: async (scene) => idOf(newHeartbeat(scene)),
  previewHeartbeat: () => ({ json: { heartbeat: HOURLY } }),
  testEndpoint: ({ session }) => ({ json: endpointFields(session) }),
  readSitemap: ({ session }) => ({ json: { url: session.bench.url('/sitemap.xml') } }),

  listAlerts: async ({ endpoint: id }) => ({ query: `endpoint_id=${await id()}` }),
  createAlert: async (scene) => ({ json: await newFor(scene) }),
  getAlert: alert,
  updateAlert: async (scene) => ({ ...(await alert(scene)), json: { description: 'changed' } }),
  deleteAlert: async ({ session, endpoint: id }) => idOf(newAlert(session, {}, await id())),
  testNewAlert: async (scene) => ({ json: await newFor(scene) }),
  testAlert: alert,

  listContacts: () => ({ query: 'limit=2' }),
  createContact: ({ session }) => ({ json: { name: session.name(), ...webhook(session) } }),
  getContact: contact,
  updateContact: async (scene) => ({ ...(await contact(scene)), json: { name: scene.session.name() } }),
  deleteContact: ({ session }) => idOf(newContact(session)),
  testNewContact: ({ session }) => ({ json: { name: session.name(), ...webhook(session) } }),
  previewContact: ({ session }) => ({ json: webhook(session) }),
  testContact: contact,
  addContactAlerts: async (scene) => ({
    ...(await contact(scene)),
    json: { scope: { endpoint_ids: [await scene.endpoint()] } },
  }),

  listMaintenanceWindows: async ({ endpoint: id }) => ({ query: `endpoint_id=${await id()}` }),
  createMaintenanceWindow: async ({ session, endpoint: id }) => ({ json: windowFields(session, await id()) }),
  getMaintenanceWindow: window,
  updateMaintenanceWindow: async (scene) => ({ ...(await window(scene)), json: { name: scene.session.name() } }),
  deleteMaintenanceWindow: async ({ session, endpoint: id }) => idOf(newWindow(session, await id())),
  listMaintenanceOccurrences: window,
  previewMaintenanceWindow: async ({ session, endpoint: id }) => ({ json: windowFields(session, await id()) }),
  endMaintenance: async ({ session, endpoint: id }) => idOf(newWindow(session, await id())),

  getStatusPage: website,
  updateStatusPage: async (scene) => ({ ...(await website(scene)), json: { enabled: false } }),
  listStatusPages: () => ({ query: 'limit=2' }),
  createStatusPage: ({ session }) => ({ json: { title: session.name(), slug: session.key(), groups: [] } }),
  getPublicPage: page,
  updatePublicPage: async (scene) => ({ ...(await page(scene)), json: { description: 'changed' } }),
  deleteStatusPage: async ({ session, endpoint: id }) => idOf(newPage(session, await id())),
  showStatusPage: async (scene) => ({ params: { page: String((await scene.page())['slug']) } }),
  getStatusFeed: async (scene) => ({ params: { slug: String((await scene.page())['slug']) } }),
  showStatusHistory: async (scene) => ({ params: { slug: String((await scene.page())['slug']) } }),
  getStatusHistory: async (scene) => ({ params: { slug: String((await scene.page())['slug']) } }),
  getStatusLogo: async (scene) => ({ params: { slug: String((await scene.page())['slug']) } }),
};
