/** A step of the first hour. It is ticked as soon as its result exists. */
export interface FirstStep {
  id: 'endpoint' | 'contact' | 'page' | 'colleague' | 'rest';
  title: string;
  text: string;
  href: string;
  action: string;
  isDone: boolean;
}

/** The number of resources that exist so far. `null` if the user can't see or change them. */
export interface SoFar {
  endpoints: number;
  contacts: number;
  pages: number;
  people: number | null;
}

/** With this many endpoints, the rest has been added. */
const SEVERAL = 5;
/** With more endpoints, an organization no longer needs the list. */
const GROWN = 20;

/** Returns the steps of the first hour, or an empty list if they are all done or no longer needed. */
export function firstSteps({ endpoints, contacts, pages, people }: SoFar): FirstStep[] {
  const steps: FirstStep[] = [
    {
      id: 'endpoint',
      title: 'Add your first endpoint',
      text: 'Paste a URL. It is tested before you save it.',
      href: '#/new',
      action: 'Add endpoint',
      isDone: endpoints > 0,
    },
    {
      id: 'contact',
      title: 'Choose who is notified',
      text: 'By email, chat, webhook, or pager. Send a test before you save it.',
      href: '#/contacts/new',
      action: 'Add contact',
      isDone: contacts > 0,
    },
    {
      id: 'page',
      title: 'Create a status page',
      text: 'Your customers see what is down, and what you do about it.',
      href: '#/status-pages/new',
      action: 'Create page',
      isDone: pages > 0,
    },
    {
      id: 'colleague',
      title: 'Invite a colleague',
      text: 'So that someone else can acknowledge an incident.',
      href: '#/settings/people',
      action: 'Invite',
      isDone: people !== null && people > 1,
    },
    {
      id: 'rest',
      title: 'Add the rest',
      text: 'Paste a list or a sitemap, or import the file of another monitor.',
      href: '#/new/many',
      action: 'Add several',
      isDone: endpoints >= SEVERAL,
    },
  ];
  const shown = steps.filter(({ id }) => id !== 'colleague' || people !== null);
  return endpoints > GROWN || shown.every(({ isDone }) => isDone) ? [] : shown;
}
