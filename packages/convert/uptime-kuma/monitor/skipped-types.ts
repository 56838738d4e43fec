import { quoted } from './draft';
import type { Row } from '../file/row';

/** The reasons why our checks can't replace a monitor, by its type. */
const REASONS: Readonly<Record<string, string>> = {
  docker: 'it asks a Docker daemon about a container',
  mqtt: 'it waits for a message of an MQTT broker',
  sqlserver: 'it asks a Microsoft SQL Server',
  postgres: 'it asks a PostgreSQL server',
  mysql: 'it asks a MySQL server',
  mongodb: 'it asks a MongoDB server',
  redis: 'it asks a Redis server',
  oracledb: 'it asks an Oracle database',
  radius: 'it signs in at a RADIUS server',
  'grpc-keyword': 'it calls a gRPC method',
  steam: 'it asks for a game server through Steam',
  gamedig: 'it asks a game server',
  'kafka-producer': 'it sends a message to Kafka',
  'tailscale-ping': 'it pings through Tailscale',
  snmp: 'it asks an SNMP agent',
  rabbitmq: 'it asks a RabbitMQ cluster',
  smtp: 'it greets a mail server',
  'websocket-upgrade': 'it opens a WebSocket',
  'sip-options': 'it asks a SIP server',
  ntp: 'it asks a time server',
  'system-service': 'it looks at a service of the machine that Uptime Kuma runs on',
  pm2: 'it looks at a process of the machine that Uptime Kuma runs on',
  globalping: 'it asks probes of Globalping',
  manual: 'its status is set by hand',
};

export function reasonForType(monitor: Row): string {
  const type = monitor.text('type');
  const reason = REASONS[type];
  if (reason !== undefined) return `${reason}: there is no check of type "${type}" here`;
  return type === '' ? 'it has no type' : `monitors of type ${quoted(type)} are not known here`;
}
