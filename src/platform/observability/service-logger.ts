import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import type { Config } from '../config/config';

const LEVELS: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error'];
const NEST_LEVELS: readonly LogLevel[] = ['verbose', 'debug', 'log', 'warn', 'error'];

/** Nest's own account of its wiring: of interest to nobody who runs the service. */
const WIRING = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Nest logs what stops the start, with its stack, and throws it as well: whoever starts the application tells it once. */
const THROWN = 'ExceptionHandler';

class ServiceLogger extends ConsoleLogger {
  /** ISO, as everywhere else. */
  protected override getTimestamp(): string {
    return new Date().toISOString();
  }

  protected override formatPid(): string {
    return '';
  }

  override log(message: unknown, context?: string): void {
    if (context === undefined || !WIRING.has(context)) super.log(message, context);
  }

  override error(message: unknown, ...more: unknown[]): void {
    if (more.at(-1) !== THROWN) super.error(message, ...more);
  }
}

/** JSON lines for machines; readable lines on a terminal. */
export function serviceLogger(config: Pick<Config, 'logLevel'>): ConsoleLogger {
  const least = LEVELS.indexOf(config.logLevel);
  const logLevels: LogLevel[] = least < 0 ? [] : [...NEST_LEVELS.slice(least), 'fatal'];
  return new ServiceLogger({ json: !process.stdout.isTTY, logLevels, timestamp: false });
}
