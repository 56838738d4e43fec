import { newProbe, newSharedProbe } from '../session/things';
import type { Samples } from './sample';
import type { Scene } from './scene';

const idOf = async (making: Promise<{ id: string }>) => ({ params: { id: (await making).id } });
const probe = async (scene: Scene) => ({ params: { id: await scene.probe() } });
const shared = async (scene: Scene) => ({ params: { id: await scene.sharedProbe() } });

/** How probes are read, made, changed, rotated and removed: those of an organization, and those that the operator shares. */
export const PROBE_SAMPLES: Samples = {
  listProbes: () => ({ query: 'limit=2&status=new' }),
  createProbe: ({ session }) => ({ json: { key: session.key('probe') } }),
  getProbe: probe,
  updateProbe: async (scene) => ({ ...(await probe(scene)), json: { region: 'eu' } }),
  deleteProbe: ({ session }) => idOf(newProbe(session)),
  rotateProbe: async (scene) => ({ ...(await probe(scene)), json: { grace: 60 } }),

  listSharedProbes: () => ({ query: 'limit=2' }),
  createSharedProbe: ({ session }) => ({ json: { key: session.key('probe') } }),
  getSharedProbe: shared,
  updateSharedProbe: async (scene) => ({ ...(await shared(scene)), json: { region: 'eu' } }),
  deleteSharedProbe: ({ session }) => idOf(newSharedProbe(session)),
  rotateSharedProbe: async (scene) => ({ ...(await shared(scene)), json: {} }),
};
