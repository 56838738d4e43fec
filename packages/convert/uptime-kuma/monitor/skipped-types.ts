import { quoted } from './draft';
import type { Row } from '../file/row';

/** Why our checks can't replace a monitor, by monitor type. */
const REASONS: Readonly<Record<string, string>> = {
  docker: 'it checks a container through a Docker daemon',
  mqtt: 'it waits for a message from an MQTT broker',
  sqlserver: 'it queries a Microsoft SQL Server',
  mysql: 'it queries a MySQL server',
  mongodb: 'it queries a MongoDB server',
  oracledb: 'it queries an Oracle database',
  radius: 'it signs in to a RADIUS server',
  'grpc-keyword': 'it calls any method of gRPC, and checks only call the health service',
  steam: 'it queries a game server through Steam',
  gamedig: 'it queries a game server',
  'kafka-producer': 'it sends a message to Kafka',
  'tailscale-ping': 'it pings through Tailscale',
  snmp: 'it queries an SNMP agent',
  rabbitmq: 'it queries a RabbitMQ cluster',
  'sip-options': 'it queries a SIP server',
  ntp: 'it queries a time server',
  'system-service': 'it checks a service on the machine that runs Uptime Kuma',
  pm2: 'it checks a process on the machine that runs Uptime Kuma',
  globalping: 'it uses the probes of Globalping',
  manual: 'its status is set manually',
};

export function reasonForType(monitor: Row): string {
  const type = monitor.text('type');
  const reason = REASONS[type];
  if (reason !== undefined) return `${reason}: the type "${type}" is not supported`;
  return type === '' ? 'it has no type' : `monitors of type ${quoted(type)} are not supported`;
}
