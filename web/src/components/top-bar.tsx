import { live } from '../state/live';
import { drafts } from '../state/drafts';
import { go } from '../state/router';
import { may, session, signOut, switchTo } from '../state/session';
import { type Theme, theme } from '../state/theme';
import { runAction } from '../state/toast';
import { confirmed } from './dialog';
import { helpHere, HelpLink } from './help-link';
import { Icon, type IconName } from './icons';
import { Button } from './layout';
import { Menu } from './menu';

interface Props {
  links: readonly { title: string; href: string }[];
  /** The number of open incidents. */
  open: number;
  /** The title of the navigation entry that the current page belongs to. */
  current: string | undefined;
  onHelp: () => void;
}

/** The tab icon. It is inlined, because an image would need one more request before the first rows appear. */
const Logo = () => (
  <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="var(--brand)" />
    <path
      d="M5 17h5l3-8 5 14 3-6h6"
      fill="none"
      stroke="var(--bar-ink)"
      stroke-width="2.6"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
);

/** The bar at the top of every page: navigation, organization, live stream state, theme, help, and sign-out. */
export const TopBar = ({ links, current, open, onHelp }: Props) => (
  <header class="top">
    <div>
      <a class="brand" href="#/" aria-label="Uptime, overview">
        <Logo />
        Uptime
      </a>
      <nav aria-label="Main">
        {links.map(({ title, href }) => (
          <a key={title} href={href} aria-current={title === current ? 'page' : undefined}>
            {title}
            {title === 'Incidents' && open > 0 && (
              <>
                {' '}
                <span class="count">
                  {open}
                  <span class="sr"> open</span>
                </span>
              </>
            )}
          </a>
        ))}
      </nav>
      <Organizations />
      <LiveMark />
      <ThemeSwitch />
      <HelpLink class="button plain" page={helpHere()} title="Help for this page">
        <Icon name="book" size={18} />
      </HelpLink>
      <IconButton name="help" title="Keyboard help" onClick={onHelp} />
      <IconButton
        name="out"
        title={`Sign out ${session.value?.person?.name ?? session.value?.key_name ?? ''}`}
        onClick={() => void runAction(signOut)}
      />
      {may.write() && (
        <a class="button primary" href="#/new">
          <Icon name="plus" /> New
        </a>
      )}
    </div>
  </header>
);

/**
 * Switches to another of the user's organizations. Renders nothing for an API key, or if there is only one
 * organization.
 */
const Organizations = () => {
  const { organization, organizations = [] } = session.value ?? {};
  return (
    organizations.length > 1 && (
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
    )
  );
};

async function goOver(id: string, name: string): Promise<void> {
  if (id === session.value?.organization.id) return;
  const text = 'You have unsaved changes. They are lost when you switch.';
  if (drafts.value.length > 0 && !(await confirmed(`Go to ${name}`, text))) return;
  if (await runAction(() => switchTo(id))) go('/');
}

const LiveMark = () => (
  <span class="live">
    <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
      <circle cx="4" cy="4" r="3" fill={live.value === 'live' ? 'var(--up)' : 'none'} stroke="currentColor" />
    </svg>
    {live.value === 'live' ? 'Live' : live.value === 'lost' ? 'Not live' : 'Connecting'}
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
