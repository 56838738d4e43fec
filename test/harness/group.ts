import { resolve } from 'node:path';
import { endSharedServices, keepSharedServices } from './app/shared-services';

const ROOT = resolve(__dirname, '../..');
/** Events that a spec may listen to. It must remove its listeners at the end. */
const EVENTS = ['uncaughtException', 'unhandledRejection', 'SIGTERM', 'SIGINT', 'warning'] as const;

/** Returns everything that a spec must not change for later specs in the same process. */
const surroundings = (): Record<string, unknown> => ({
  directory: process.cwd(),
  environment: { ...process.env },
  listeners: EVENTS.map((name) => `${name}: ${process.listenerCount(name)}`),
});

/**
 * Runs these specs one after another as a single Jest file, so that they share modules and the services from
 * `startApp`. Each spec starts as it would on its own and leaves nothing behind in the process. At the end, the
 * services must be empty and their invariants must hold.
 */
export function describeFiles(files: readonly string[]): void {
  keepSharedServices();
  for (const file of files) {
    describe(file, () => {
      let before: Record<string, unknown> = {};
      beforeAll(() => {
        before = surroundings();
        expect.setState({ testPath: resolve(ROOT, file) });
      });
      load(file);
      afterAll(() => {
        jest.restoreAllMocks();
        jest.useRealTimers();
        expect(surroundings()).toEqual(before);
      });
    });
  }
  describe('the shared services', () => {
    it('contain no data of the specs afterwards', endSharedServices);
  });
}

/** If a spec can't be loaded, this adds a failed test instead of stopping the group. */
function load(file: string): void {
  try {
    expect.setState({ testPath: resolve(ROOT, file) });
    jest.requireActual(resolve(ROOT, file));
  } catch (error) {
    it('can be loaded', () => {
      throw error;
    });
  }
}
