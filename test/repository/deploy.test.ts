import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { manifest, read, trackedFiles } from './tracked-files.ts';

const dockerfile = read('Dockerfile');
/** What the last stage does: the image itself. */
const image = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

describe('the image', () => {
  test('is described without a mistake the linter knows', () => {
    expect(validate(dockerfile)).toEqual([]);
  });

  test('runs node itself as an ordinary user, so that SIGTERM reaches the bot', () => {
    expect(image).toMatch(/^USER node$/m);
    expect(image).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(image.trim().split('\n').at(-1)).toBe(
      `CMD ${JSON.stringify(manifest().scripts.start?.split(' ')).replace(',', ', ')}`,
    );
  });

  test('is made of tracked files that .dockerignore lets through', () => {
    const ignore = read('.dockerignore').split('\n');
    expect(ignore).toContain('*');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, sources]) => sources?.split(' ') ?? [],
    );
    expect(copied.length).toBeGreaterThan(4);
    for (const source of copied) {
      expect(trackedFiles().some((file) => file === source || file.startsWith(`${source}/`))).toBe(true);
      expect(ignore).toContain(`!${source.split('/')[0]}`);
    }
  });

  test('holds no settings: no secret has a default in it', () => {
    expect(dockerfile).not.toMatch(/(TOKEN|KEY)\s*=/);
  });
});

describe('the Compose file', () => {
  const { services, volumes } = parse(read('deploy/compose.yaml'));
  const { crier } = services;

  test('builds this Dockerfile and reads the settings from .env', () => {
    expect(join('deploy', crier.build.context, crier.build.dockerfile ?? 'Dockerfile')).toBe('Dockerfile');
    expect(crier.env_file.map((file: string) => join('deploy', file))).toEqual(['.env']);
  });

  test('keeps the data in a volume, where the image expects it', () => {
    expect(crier.volumes).toEqual([`data:${crier.environment.DATA_DIR}`]);
    expect(volumes).toHaveProperty('data');
    expect(image).toContain(`VOLUME ${crier.environment.DATA_DIR}`);
  });

  test('gives the bot time to leave its channels, and no rights it does not need', () => {
    expect(crier.stop_grace_period).toBe('15s');
    expect(crier).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(crier).not.toHaveProperty('ports');
  });
});

describe('the Kubernetes manifest', () => {
  const documents = parseAllDocuments(read('deploy/kubernetes.yaml'));
  const [claim, deployment] = documents.map((document) => document.toJS());
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;

  test('is valid YAML with one volume and one deployment', () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    expect([claim.kind, deployment.kind]).toEqual(['PersistentVolumeClaim', 'Deployment']);
    expect(pod.volumes[0].persistentVolumeClaim.claimName).toBe(claim.metadata.name);
    expect(deployment.spec.selector.matchLabels).toEqual(deployment.spec.template.metadata.labels);
  });

  test('never runs two bots with one token', () => {
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  });

  test('mounts what it writes to, and nothing else is writable', () => {
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, fsGroup: 1000 });
    const dataDir = container.env.find(({ name }: { name: string }) => name === 'DATA_DIR').value;
    const mounts = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
    expect(mounts).toEqual([dataDir, '/tmp']);
    expect(pod.volumes.map(({ name }: { name: string }) => name)).toEqual(
      container.volumeMounts.map(({ name }: { name: string }) => name),
    );
  });

  test('asks for health the way the image does', () => {
    const [, command] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(image) ?? [];
    expect(container.livenessProbe.exec.command).toEqual(JSON.parse(command ?? ''));
    expect(container.startupProbe.exec.command).toEqual(container.livenessProbe.exec.command);
    expect(pod.terminationGracePeriodSeconds).toBe(15);
  });
});

describe('the systemd unit', () => {
  const unit = read('deploy/crier.service');
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

  test('starts node itself, with the Node of the checkout first', () => {
    expect(setting('ExecStart')).toMatch(/ PATH=\S+\/node_modules\/\.bin:\S+ .* node src\/main\.ts$/);
    expect(setting('WorkingDirectory')).toBe('/opt/crier');
  });

  test('keeps the data where systemd makes a folder for it', () => {
    expect(setting('ExecStart')).toContain(` DATA_DIR=/var/lib/${setting('StateDirectory')} `);
    expect(setting('StateDirectoryMode')).toBe('0700');
  });

  test('ends the bot gently and runs it without privileges', () => {
    expect(setting('TimeoutStopSec')).toBe('15');
    expect(setting('KillMode')).toBe('mixed');
    expect(setting('DynamicUser')).toBe('yes');
    expect(setting('NoNewPrivileges')).toBe('yes');
    expect(setting('ProtectSystem')).toBe('strict');
    expect(setting('CapabilityBoundingSet')).toBe('');
  });
});
