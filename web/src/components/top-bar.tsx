import type { Section } from '../pages/sections';
import { live } from '../state/live';
import { drafts } from '../state/drafts';
import { helpForPath } from '../logic/help-page';
import { go, route } from '../state/router';
import { session, signOut, switchTo } from '../state/session';
import { type Theme, theme } from '../state/theme';
import { runAction } from '../state/toast';
import { confirmed } from './dialog';
import { HelpLink } from './help-link';
import { Icon, type IconName } from './icons';
import { Button } from './layout';
import { Mark } from './mark';
import { Menu } from './menu';

interface NavLink extends Section {
  href: string;
}

interface Props {
  links: readonly NavLink[];
  /** The number of open incidents. */
  open: number;
  /** The title of the navigation entry that the current page belongs to. */
  current: string | undefined;
  onSearch: () => void;
  onHelp: () => void;
}

/**
 * The frame around every page: navigation, organization, search, live stream state, theme, help, and sign-out. It is a
 * column on the left of wide windows, and a bar at the top of others. On a phone, the navigation is a bar at the bottom.
 */
export const TopBar = ({ links, current, open, onSearch, onHelp }: Props) => {
  const name = session.value?.person?.name ?? session.value?.key_name ?? '';
  return (
    <header class="top">
      <div class="top-head">
        <a class="brand" href="#/" aria-label="Uptime, overview">
          <Mark />
          <span>Uptime</span>
        </a>
        <Organizations />
      </div>
      <nav aria-label="Main">
        {links.map((link) => (
          <NavEntry key={link.title} of={link} current={current} open={open} />
        ))}
        <div class="more-sections">
          <Menu
            label={
              <>
                <Icon name="more" size={20} />
                <span>More</span>
              </>
            }
          >
            {links
              .filter(({ isOnPhone }) => !isOnPhone)
              .map(({ title, href }) => (
                <a key={title} class="button" href={href} aria-current={title === current ? 'page' : undefined}>
                  {title}
                </a>
              ))}
          </Menu>
        </div>
      </nav>
      <div class="top-foot">
        <button type="button" class="plain find" aria-label="Search and commands" onClick={onSearch}>
          <Icon name="search" size={18} />
          <span>Search</span>
          <kbd>Ctrl K</kbd>
        </button>
        <LiveMark />
        <ThemeSwitch />
        <HelpLink class="button plain" page={helpForPath(route.value.path)} title="Help for this page">
          <Icon name="book" size={18} />
        </HelpLink>
        <IconButton name="help" title="Keyboard help" onClick={onHelp} />
        <div class="who">
          <a href={session.value?.person ? '#/settings/account' : '#/settings'} title="Your settings">
            <span class="initials" aria-hidden="true">
              {initialsOf(name)}
            </span>
            <span class="who-name">{name}</span>
          </a>
          <IconButton name="out" title={`Sign out ${name}`} onClick={() => void runAction(signOut)} />
        </div>
      </div>
    </header>
  );
};

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .flatMap((word) => word[0] ?? [])
    .slice(0, 2)
    .join('')
    .toUpperCase();

const NavEntry = ({ of, current, open }: { of: NavLink; current: string | undefined; open: number }) => (
  <a
    class={of.isOnPhone ? undefined : 'not-on-phone'}
    href={of.href}
    aria-current={of.title === current ? 'page' : undefined}
  >
    <Icon name={of.icon} size={18} />
    <span>{of.title}</span>
    {of.title === 'Incidents' && open > 0 && (
      <>
        {' '}
        <span class="count">
          {open}
          <span class="sr"> open</span>
        </span>
      </>
    )}
  </a>
);

/**
 * Shows the organization. Switches to another of the user's organizations, unless there is only one.
 */
const Organizations = () => {
  const { organization, organizations = [] } = session.value ?? {};
  if (organizations.length < 2) return <span class="organization">{organization?.name}</span>;
  return (
    <Menu
      label={
        <span>
          <span class="sr">Organization </span>
          {organization?.name}
        </span>
      }
    >
      {organizations.map(({ id, name }) => (
        <Button key={id} current={id === organization?.id} onClick={() => goOver(id, name)}>
          {name}
        </Button>
      ))}
    </Menu>
  );
};

async function goOver(id: string, name: string): Promise<void> {
  if (id === session.value?.organization.id) return;
  const text = 'You have unsaved changes. They are lost when you switch.';
  if (drafts.value.length > 0 && !(await confirmed(`Go to ${name}`, text))) return;
  if (await runAction(() => switchTo(id))) go('/');
}

const LiveMark = () => (
  <span class={`live ${live.value}`}>
    <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
      <circle cx="4" cy="4" r="3" fill={live.value === 'live' ? 'var(--up)' : 'none'} stroke="currentColor" />
    </svg>
    <span>{live.value === 'live' ? 'Live' : live.value === 'lost' ? 'Offline' : 'Connecting'}</span>
  </span>
);

const IconButton = (props: { name: IconName; title: string; onClick: () => void }) => (
  <button type="button" class="plain" aria-label={props.title} title={props.title} onClick={props.onClick}>
    <Icon name={props.name} size={18} />
  </button>
);

const NEXT: Record<Theme, Theme> = { auto: 'light', light: 'dark', dark: 'auto' };

const ThemeSwitch = () => (
  <IconButton
    name={theme.value === 'auto' ? 'auto' : theme.value === 'light' ? 'sun' : 'moon'}
    title={`Theme: ${theme.value}. Switch to ${NEXT[theme.value]}`}
    onClick={() => {
      theme.value = NEXT[theme.value];
    }}
  />
);
