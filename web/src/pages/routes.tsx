import type { ComponentChildren } from 'preact';
import { lazy } from '../components/lazy';
import { matchPath, type Pattern } from '../logic/route-match';
import { OverviewPage } from './overview';
import type { SectionTitle } from './sections';

// Fetched after the first page, because users usually want to see the overview first.
const AddManyPage = lazy(() => import('./add-many').then((page) => page.AddManyPage));
const AlertEventsPage = lazy(() => import('./alerts').then((page) => page.AlertEventsPage));
const AlertPage = lazy(() => import('./alert').then((page) => page.AlertPage));
const AlertRulesPage = lazy(() => import('./alerts').then((page) => page.AlertRulesPage));
const EndpointFormPage = lazy(() => import('./endpoint-form').then((page) => page.EndpointFormPage));
const EndpointPage = lazy(() => import('./endpoint').then((page) => page.EndpointPage));
const FailedDeliveriesPage = lazy(() => import('./alerts').then((page) => page.FailedDeliveriesPage));
const EscalationPage = lazy(() => import('./escalation').then((page) => page.EscalationPage));
const CertificatesPage = lazy(() => import('./certificates').then((page) => page.CertificatesPage));
const ContactPage = lazy(() => import('./contacts/contact').then((page) => page.ContactPage));
const ContactsPage = lazy(() => import('./contacts/list').then((page) => page.ContactsPage));
const IncidentPage = lazy(() => import('./incidents/incident').then((page) => page.IncidentPage));
const IncidentsPage = lazy(() => import('./incidents/list').then((page) => page.IncidentsPage));
const NewIncidentPage = lazy(() => import('./incidents/new').then((page) => page.NewIncidentPage));
const MaintenancePage = lazy(() => import('./maintenance/list').then((page) => page.MaintenancePage));
const MaintenanceWindowPage = lazy(() => import('./maintenance/window').then((page) => page.MaintenanceWindowPage));
const ReportsPage = lazy(() => import('./reports').then((page) => page.ReportsPage));
const SettingsPage = lazy(() => import('./settings/settings').then((page) => page.SettingsPage));
const StatusPagePage = lazy(() => import('./status-page').then((page) => page.StatusPagePage));
const StatusPagesPage = lazy(() => import('./status-pages').then((page) => page.StatusPagesPage));
const WebsitePage = lazy(() => import('./website').then((page) => page.WebsitePage));

export interface Route {
  path: Pattern;
  /** The title in the list of shortcuts, and of the browser tab until the page has set its own. */
  title: string;
  /** The main navigation entry that is highlighted on this page. An entry links to its first route. */
  section?: SectionTitle;
  /** A key, or a sequence of two keys. */
  shortcut?: string;
  /** The role that the shortcut requires. */
  role?: 'write' | 'admin';
  /** `parameter` is the path segment that matches `:name`. */
  show: (parameter: string) => ComponentChildren;
}

/**
 * All pages. The first match is shown. The router, the navigation, titles, and shortcuts are all based on this table.
 */
export const ROUTES: readonly Route[] = [
  { path: '', title: 'Overview', section: 'Overview', shortcut: 'g o', show: () => <OverviewPage /> },
  {
    path: 'new',
    title: 'Add endpoint',
    section: 'Overview',
    shortcut: 'n',
    role: 'write',
    show: () => <EndpointFormPage id={null} />,
  },
  { path: 'new/many', title: 'Add several endpoints', section: 'Overview', show: () => <AddManyPage /> },
  { path: 'endpoints/:id', title: 'Endpoint', section: 'Overview', show: (id) => <EndpointPage key={id} id={id} /> },
  {
    path: 'endpoints/:id/edit',
    title: 'Edit endpoint',
    section: 'Overview',
    show: (id) => <EndpointFormPage key={id} id={id} />,
  },
  {
    path: 'certificates',
    title: 'Expiring certificates',
    section: 'Overview',
    shortcut: 'g x',
    show: () => <CertificatesPage />,
  },
  { path: 'incidents', title: 'Incidents', section: 'Incidents', shortcut: 'g i', show: () => <IncidentsPage /> },
  { path: 'incidents/new', title: 'New incident', section: 'Incidents', show: () => <NewIncidentPage /> },
  { path: 'incidents/:id', title: 'Incident', section: 'Incidents', show: (id) => <IncidentPage key={id} id={id} /> },
  { path: 'alerts', title: 'Alerts', section: 'Alerts', shortcut: 'g a', show: () => <AlertRulesPage /> },
  { path: 'alerts/events', title: 'Events', section: 'Alerts', shortcut: 'g e', show: () => <AlertEventsPage /> },
  { path: 'alerts/failed', title: 'Not delivered', section: 'Alerts', show: () => <FailedDeliveriesPage /> },
  { path: 'alerts/new', title: 'New alert rule', section: 'Alerts', show: () => <AlertPage key="new" id={null} /> },
  { path: 'alerts/:id', title: 'Alert rule', section: 'Alerts', show: (id) => <AlertPage key={id} id={id} /> },
  { path: 'escalation/:of?', title: 'Escalation', section: 'Alerts', show: (of) => <EscalationPage of={of} /> },
  { path: 'contacts', title: 'Contacts', section: 'Alerts', shortcut: 'g c', show: () => <ContactsPage /> },
  {
    path: 'contacts/new',
    title: 'New contact',
    section: 'Alerts',
    show: () => <ContactPage key="new" id={null} />,
  },
  { path: 'contacts/:id', title: 'Contact', section: 'Alerts', show: (id) => <ContactPage key={id} id={id} /> },
  {
    path: 'maintenance',
    title: 'Maintenance',
    section: 'Maintenance',
    shortcut: 'g m',
    show: () => <MaintenancePage />,
  },
  {
    path: 'maintenance/new',
    title: 'New maintenance window',
    section: 'Maintenance',
    show: () => <MaintenanceWindowPage key="new" id={null} />,
  },
  {
    path: 'maintenance/:id',
    title: 'Maintenance window',
    section: 'Maintenance',
    show: (id) => <MaintenanceWindowPage key={id} id={id} />,
  },
  {
    path: 'status-pages',
    title: 'Status pages',
    section: 'Status pages',
    shortcut: 'g p',
    show: () => <StatusPagesPage />,
  },
  {
    path: 'status-pages/new',
    title: 'New status page',
    section: 'Status pages',
    show: () => <StatusPagePage id={null} />,
  },
  {
    path: 'status-pages/:id',
    title: 'Status page',
    section: 'Status pages',
    show: (id) => <StatusPagePage key={id} id={id} />,
  },
  { path: 'reports', title: 'Reports', section: 'Reports', shortcut: 'g r', show: () => <ReportsPage /> },
  {
    path: 'settings/:tab?',
    title: 'Settings',
    section: 'Settings',
    shortcut: 'g s',
    show: (tab) => <SettingsPage tab={tab} />,
  },
  { path: 'websites/:id', title: 'Website', section: 'Overview', show: (id) => <WebsitePage key={id} id={id} /> },
];

/** Returns the route for a path, and its parameter. */
export function findRoute(path: readonly string[]): { route: Route; parameter: string } | null {
  for (const route of ROUTES) {
    const parameter = matchPath(route.path, path);
    if (parameter !== null) return { route, parameter };
  }
  return null;
}

/** Returns the hash path for shortcuts and the navigation, without the optional parameter. */
export const pathOf = (route: Route): string => `/${route.path.replace(/\/?:\w+\?$/, '')}`;
