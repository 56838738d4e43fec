import { newEmail, newInvitation, newMember, PASSWORD } from '../session/members';
import { draftSecondFactor, type SecondFactorHolder } from '../session/second-factor';
import type { Samples } from './sample';
import type { Scene } from './scene';

const person = async (scene: Scene) => ({ headers: (await scene.member()).headers });
const member = async (scene: Scene) => ({ params: { id: (await scene.member()).id } });

const proven = async (holder: SecondFactorHolder) => ({
  headers: holder.member.headers,
  json: { current_password: PASSWORD, second_factor: await holder.recoveryCode() },
});

/** Samples for joining, using an account, and managing people. */
export const PEOPLE_SAMPLES: Samples = {
  listPeople: () => ({ query: 'limit=2&role=read' }),
  getPerson: member,
  updatePerson: async (scene) => ({ ...(await member(scene)), json: { role: 'read' } }),
  removePerson: async ({ session }) => ({ params: { id: (await newMember(session)).id } }),
  resetSecondFactor: async (scene) => {
    const holder = await scene.removing();
    await holder.recoveryCode();
    return { params: { id: holder.member.id } };
  },
  createPasswordLink: member,
  deletePasswordLink: async (scene) => {
    const { id } = await scene.forgetful();
    await scene.session.admin.post(`/people/${id}/password-link`);
    return { params: { id } };
  },
  listInvitations: () => ({ query: 'limit=2' }),
  createInvitation: ({ session }) => ({ json: { email: newEmail(session), role: 'write' } }),
  deleteInvitation: async ({ session }) => ({ params: { id: (await newInvitation(session)).id } }),

  getSignInMethods: () => ({}),
  describeLink: async ({ session }) => ({ json: { token: (await newInvitation(session)).token } }),
  createAccount: async ({ session }) => ({
    json: { token: (await newInvitation(session)).token, name: session.name('person'), password: PASSWORD },
  }),
  joinOrganization: async (scene) => {
    const { id, email, headers } = await scene.guest();
    await scene.session.admin.delete(`/people/${id}`);
    return { headers, json: { token: (await newInvitation(scene.session, email)).token } };
  },
  setPassword: async (scene) => {
    const { id } = await scene.forgetful();
    const { body } = await scene.session.admin.post<{ token: string }>(`/people/${id}/password-link`);
    return { json: { token: body.token, password: PASSWORD } };
  },
  moveSession: async (scene) => {
    const { body } = await scene.session.read.get<{ id: string }>('/organization');
    return { ...(await person(scene)), json: { organization_id: body.id } };
  },

  getAccount: person,
  updateAccount: async (scene) => ({ ...(await person(scene)), json: { name: scene.session.name('person') } }),
  eraseAccount: async ({ session }) => ({ headers: (await newMember(session)).headers }),
  draftSecondFactor: async (scene) => ({ ...(await person(scene)), json: { current_password: PASSWORD } }),
  confirmSecondFactor: async ({ session }) => {
    const member = await newMember(session);
    return { headers: member.headers, json: { code: await draftSecondFactor(session, member) } };
  },
  renewRecoveryCodes: async (scene) => proven(await scene.renewing()),
  removeSecondFactor: async (scene) => proven(await scene.removing()),
  listOwnSessions: person,
  endOwnSession: async (scene) => {
    const { email, headers } = await scene.member();
    await scene.session.anonymous.send('POST', '/auth/session', { json: { email, password: PASSWORD } });
    const sessions = await scene.session.anonymous.send<{ id: string; current: boolean }[]>('GET', '/auth/sessions', {
      headers,
    });
    return { headers, params: { id: sessions.body.find(({ current }) => !current)?.id ?? '' } };
  },
  endOtherSessions: person,
};
