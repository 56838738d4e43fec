import { send } from './client';

/** A route that needs no key, with a request as strangers send it. */
export interface KeylessRoute {
  method: string;
  path: string;
}

interface Operation {
  security?: readonly unknown[];
  parameters?: readonly { name: string; in: string; example?: string; schema?: { example?: string } }[];
}
interface Document {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/**
 * Public responses outside the API document: omitted routes, and responses of middleware. The other public routes are
 * read from the document. `test/e2e/http/public-routes.spec.ts` fails for a route or a middleware that is in neither.
 */
export const UNDOCUMENTED: readonly KeylessRoute[] = [
  '/health/live',
  '/health/ready',
  '/metrics',
  '/.well-known/security.txt',
  // The dashboard, the API reference, and the help, with their files, and the document.
  '/',
  '/docs',
  '/help',
  '/llms.txt',
  '/favicon.svg',
  '/api/v1/openapi.json',
  // The short form of a ping, a URL that only looks like a ping, a missing page, and an API route without its key.
  '/7b1f4a52-6f0e-4c6b-9a55-2f5a3d9c1e04',
  '/ping/none',
  '/nothing',
  '/api/v1/websites',
].map((path) => ({ method: 'GET', path }));

/** Returns the paths of the dashboard's files, which change with each build. */
async function filesOf(url: string): Promise<KeylessRoute[]> {
  const { text } = await send(url, 'GET', '/');
  const [script = '', style = ''] = [/src="([^"]+\.js)"/, /href="([^"]+\.css)"/].map(
    (file) => file.exec(text)?.[1] ?? '',
  );
  return [script, style].filter((path) => path !== '').map((path) => ({ method: 'GET', path }));
}

/**
 * Returns every route of the service that needs no key, with the examples of its parameters. `slug` is an existing
 * page.
 */
export async function keylessRoutes(url: string, slug: string): Promise<KeylessRoute[]> {
  const { text } = await send(url, 'GET', '/api/v1/openapi.json');
  const { paths } = JSON.parse(text) as Document;
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security?.length === 0)
      .map(([method, { parameters = [] }]) => ({
        method: method.toUpperCase(),
        path: parameters
          .filter((parameter) => parameter.in === 'path')
          .reduce((filled, { name, example, schema }) => {
            const value = path.startsWith('/status/') ? slug : (example ?? schema?.example ?? 'none');
            return filled.replace(`{${name}}`, encodeURIComponent(value));
          }, path),
      })),
  );
  if (documented.length < 20)
    throw new Error(`The document has ${documented.length} routes without a key: is it read right?`);
  return [...documented, ...UNDOCUMENTED, ...(await filesOf(url))];
}
