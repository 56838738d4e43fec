import { serviceLogger } from '../platform/observability/service-logger';

/** Resolves when the text has been written. */
export const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));

/** Logs one line at every start, regardless of `LOG_LEVEL`, in the same format as other lines. */
export const logStart = (line: string): void => serviceLogger({ logLevel: 'info' }).log(line, 'Main');
