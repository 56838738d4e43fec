import { all, put } from '../api/client';
import type { PublicPage } from '../api/types';
import { go } from './router';
import { runAction } from './toast';

const find = async (websiteId: string): Promise<PublicPage | undefined> =>
  (await all<PublicPage>('/api/v1/status-pages')).find(({ website_id }) => website_id === websiteId);

/**
 * Opens the editor for a website's status page. If there is none, it is created, and is private until the user
 * publishes it.
 */
export const editStatusPage = (websiteId: string): Promise<boolean> =>
  runAction(async () => {
    let page = await find(websiteId);
    if (!page) {
      await put(`/api/v1/websites/${websiteId}/status-page`, { enabled: false });
      page = await find(websiteId);
    }
    go(`/status-pages/${page?.id ?? ''}`);
  });
