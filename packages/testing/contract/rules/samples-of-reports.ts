import { createdIn, newEndpoint, newPage } from '../session/things';
import type { Samples } from './sample';
import type { Scene } from './scene';

/** Reports only one website, because a report covers a limited number of endpoints. */
const ofWebsite = async ({ website }: Scene) => ({ query: `website_id=${await website()}` });

const newLink = async ({ session, website }: Scene) => {
  const sent = { title: session.name('report'), website_id: await website() };
  return createdIn(await session.write.post<{ id: string; path: string }>('/reports/links', sent));
};

/** Returns the page of a public incident. */
const shownIncident = async ({ session }: Scene) => {
  const { id } = await newEndpoint(session, { enabled: false });
  const slug = String((await newPage(session, id))['slug']);
  const fields = { title: session.name('incident'), scope: { endpoint_ids: [id] }, text: 'We know.', public: true };
  createdIn(await session.write.post('/incidents', fields));
  const { body } = await session.anonymous.send<{ incidents: { id: string }[] }>('GET', `/status/${slug}.json`);
  return { params: { slug, incident: body.incidents[0]?.id ?? '' } };
};

const ofPage = async (scene: Scene) => ({ params: { slug: String((await scene.page())['slug']) } });

/** Samples for reports, their links, and the other forms of status pages. */
export const REPORT_SAMPLES: Samples = {
  getUptimeReport: ofWebsite,
  listReportOutages: ofWebsite,
  listReportLinks: () => ({ query: 'limit=2' }),
  createReportLink: async ({ session, website }) => ({
    json: { title: session.name('report'), website_id: await website(), expires_in_days: 1 },
  }),
  deleteReportLink: async (scene) => ({ params: { id: (await newLink(scene)).id } }),
  showSharedReport: async (scene) => ({ params: { token: (await newLink(scene)).path.split('/').at(-1) ?? '' } }),
  getStatusCalendar: ofPage,
  getStatusIcon: ofPage,
  showStatusIncident: shownIncident,
  getRobots: () => ({}),
};
