import { formatId } from '../../../../src/platform/ids/id';
import { Browser } from '../../../harness/app/browser';
import { PASSWORD } from '../../../harness/app/person';
import { did, type TokenScene } from './scene';

/** A change of the conditions under which a token was created. */
export interface TokenEvent {
  /** Set if the key of the scene creates the token. */
  isByKey?: true;
  routes: readonly string[];
  happen: (scene: TokenScene) => Promise<unknown>;
}

const boss = ({ boss: by }: TokenScene, method: string, path: string, body?: object): Promise<unknown> =>
  did(by.send(method, `/api/v1${path}`, body));

/** Every event of a user, a key, or an organization. A new one needs a cell in every row of `table.ts`. */
export const EVENTS = {
  'nothing happens': { routes: [], happen: () => Promise.resolve() },
  'the maker is removed': {
    routes: ['DELETE /api/v1/people/:id'],
    happen: (scene) => boss(scene, 'DELETE', `/people/${scene.maker.id}`),
  },
  'the maker is demoted': {
    routes: ['PUT /api/v1/people/:id'],
    happen: (scene) => boss(scene, 'PUT', `/people/${scene.maker.id}`, { role: 'write' }),
  },
  'the maker is erased': {
    routes: ['DELETE /auth/account'],
    happen: ({ maker }) => did(maker.send('DELETE', '/auth/account')),
  },
  'the key that made it is revoked': {
    isByKey: true,
    routes: ['DELETE /api/v1/api-keys/:id'],
    happen: (scene) => boss(scene, 'DELETE', `/api-keys/${scene.key.id}`),
  },
  'the key that made it expires': {
    isByKey: true,
    routes: [],
    happen: (scene) =>
      scene.sql(`UPDATE api_key SET expires_at = now() - interval '1 day' WHERE name = 'Maker' AND org_id = $1`, [
        scene.organization.orgId,
      ]),
  },
  'the subject joins another organization': {
    routes: ['POST /auth/join', 'POST /auth/account', 'POST /auth/oidc'],
    happen: async (scene) => scene.join(await scene.app.organization('Another')),
  },
  'the subject is removed': {
    routes: ['DELETE /api/v1/people/:id'],
    happen: (scene) => boss(scene, 'DELETE', `/people/${scene.subject.id}`),
  },
  'the subject is demoted': {
    routes: ['PUT /api/v1/people/:id'],
    happen: async (scene) => {
      await boss(scene, 'PUT', `/people/${scene.subject.id}`, { role: 'admin' });
      await boss(scene, 'PUT', `/people/${scene.subject.id}`, { role: 'read' });
    },
  },
  'the subject becomes an operator': {
    routes: [],
    happen: ({ machine, subject }) => machine.setOperator(subject.uuid, true),
  },
  'the subject sets another password': {
    routes: ['PUT /auth/account', 'POST /auth/password'],
    happen: async (scene) => {
      const browser = await scene.elsewhere();
      const body = { password: 'a mill by the river', current_password: PASSWORD };
      await did(browser.send('PUT', '/auth/account', body));
    },
  },
  'the subject sets up a second factor': {
    routes: ['POST /auth/account/second-factor', 'POST /auth/account/second-factor/confirm'],
    happen: (scene) => scene.setUpSecondFactor(),
  },
  'the subject gets another e-mail': {
    routes: [],
    happen: ({ machine, subject }) => machine.setEmail(subject.uuid, `other.${subject.email}`),
  },
  'the subject ends all other sessions': {
    routes: ['DELETE /auth/sessions', 'DELETE /auth/sessions/:id'],
    happen: async (scene) => did((await scene.elsewhere()).send('DELETE', '/auth/sessions')),
  },
  'the subject is erased': {
    routes: ['DELETE /auth/account'],
    happen: async (scene) => did((await scene.elsewhere()).send('DELETE', '/auth/account')),
  },
  'the organization is deleted': {
    routes: ['DELETE /api/v1/organizations/:id'],
    happen: (scene) => scene.removeOrganization(),
  },
} as const satisfies Readonly<Record<string, TokenEvent>>;
export type EventName = keyof typeof EVENTS;

/** Routes that change users, keys, or organizations but not the conditions of a token, with the reason. */
export const NO_EVENTS: Readonly<Record<string, string>> = {
  'POST /api/v1/organizations': 'there is no token of it yet',
  'PUT /api/v1/organizations/:id': 'its name and quotas give no one a right',
  'POST /api/v1/api-keys': 'another key takes nothing away',
  'POST /api/v1/people/:id/password-link': 'replaces the link before it: people.spec.ts',
  'DELETE /api/v1/people/:id/password-link': 'ends that link alone: open-links.spec.ts',
  'DELETE /api/v1/people/:id/identities': 'no token was made under an identity; its sessions end: open-links.spec.ts',
  'DELETE /auth/account/identities': 'no token was made under an identity; its sessions end: open-links.spec.ts',
  'POST /api/v1/invitations': 'replaces the invitation before it: people.spec.ts',
  'DELETE /api/v1/invitations/:id': 'ends that invitation alone: people.spec.ts',
  'POST /auth/link': 'changes nothing',
  'POST /auth/session': 'makes a session, and uses a link up: session.spec.ts',
  'PUT /auth/session': 'the session stands for another organization of its person, as they want',
  'DELETE /auth/session': 'ends that session alone: session.spec.ts',
  'POST /auth/account/second-factor/recovery-codes': 'replaces the codes before: second-factor.spec.ts',
  'POST /auth/account/second-factor/remove': 'the person has proved both factors: second-factor.spec.ts',
  'DELETE /api/v1/people/:id/second-factor': 'the operator resets it, the password stays: second-factor.spec.ts',
};

/** Returns the organization's ID as a path contains it. */
export const organizationOf = ({ organization }: TokenScene): string => formatId('organization', organization.orgId);

export const anotherBrowser = ({ app }: TokenScene): Browser => new Browser(app);
