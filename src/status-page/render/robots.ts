/** Lets search engines see the status pages, which contain their own rule, and nothing else. */
export const INSTALLATION_ROBOTS = 'User-agent: *\nAllow: /status/\nDisallow: /\n';

/** The rules for the host name of a page. */
export const pageRobots = (isIndexed: boolean): string => `User-agent: *\n${isIndexed ? 'Allow' : 'Disallow'}: /\n`;
