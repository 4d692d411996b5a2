/** How to install what is missing, by distribution. Pure. */

const MANAGERS: readonly { readonly families: readonly string[]; readonly command: string }[] = [
  { families: ['debian', 'ubuntu'], command: 'sudo apt-get install' },
  { families: ['fedora', 'rhel', 'centos'], command: 'sudo dnf install' },
  { families: ['arch'], command: 'sudo pacman -S' },
  { families: ['alpine'], command: 'sudo apk add' },
  { families: ['suse', 'opensuse'], command: 'sudo zypper install' },
  { families: ['void'], command: 'sudo xbps-install' },
];

/** `release`: the text of /etc/os-release. Where the distribution is unknown, the user knows best. */
export function sandboxInstallCommand(packages: readonly string[], release: string): string {
  const field = (name: string): string =>
    new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(release)?.[1]?.toLowerCase() ?? '';
  const families = `${field('ID')} ${field('ID_LIKE')}`.split(/\s+/);
  const manager = MANAGERS.find(({ families: known }) =>
    known.some((name) => families.some((family) => family === name || family.startsWith(`${name}-`))),
  );
  const names = packages.join(' ');
  return manager ? `${manager.command} ${names}` : `install ${names} with your package manager`;
}
