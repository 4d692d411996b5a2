/**
 * Recognizes new files that replace a module of Python's own library for programs in a working directory. `python3 -c`, `python3 -m` and the
 * console look there first, and hooks, status lines and tasks use them without a script: `python3 -m json.tool`. Nearly every module of the
 * library is loaded by one of these.
 */
import path from 'node:path';
import type { PermissionWorld } from '../world.ts';
import { knownEntries, workingFolders } from './places.ts';

/** The library of Python 3.10 to 3.14 (`sys.stdlib_module_names`), the package manager beside it, and files that each start looks for. */
const MODULES: ReadonlySet<string> = new Set(
  (
    'abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect builtins bz2 cProfile ' +
    'calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser contextlib contextvars copy ' +
    'copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl ' +
    'filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib ' +
    'imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes ' +
    'mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb ' +
    'pickle pickletools pip pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat ' +
    'queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site sitecustomize smtpd ' +
    'smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau ' +
    'symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace ' +
    'traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib usercustomize uu uuid venv warnings wave weakref webbrowser ' +
    'winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo __future__ _abc _aix_support _android_support _apple_support _ast ' +
    '_ast_unparse _asyncio _bisect _blake2 _bootlocale _bootsubprocess _bz2 _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw ' +
    '_collections _collections_abc _colorize _compat_pickle _compression _contextvars _crypt _csv _ctypes _curses _curses_panel _datetime _dbm _decimal ' +
    '_elementtree _frozen_importlib _frozen_importlib_external _functools _gdbm _hashlib _heapq _hmac _imp _interpchannels _interpqueues _interpreters _io ' +
    '_ios_support _json _locale _lsprof _lzma _markupbase _md5 _msi _multibytecodec _multiprocessing _opcode _opcode_metadata _operator _osx_support ' +
    '_overlapped _pickle _posixshmem _posixsubprocess _py_abc _py_warnings _pydatetime _pydecimal _pyio _pylong _pyrepl _queue _random _remote_debugging ' +
    '_scproxy _sha1 _sha2 _sha256 _sha3 _sha512 _signal _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics _string _strptime _struct _suggestions ' +
    '_symtable _sysconfig _thread _threading_local _tkinter _tokenize _tracemalloc _types _typing _uuid _warnings _weakref _weakrefset _winapi _wmi ' +
    '_zoneinfo _zstd'
  ).split(' '),
);

/** A folder without `__init__` replaces no module. */
const FORM = /^(\w+|_sysconfigdata_[\w-]+)(?:\/__init__)?\.(?:pyc?|pyd|(?:[\w-]+\.)?so)$/;

/** Returns whether a file would be such a module and is not one of the project already. */
export function isConsoleModule(file: string, world: PermissionWorld): boolean {
  if (!/\.(?:pyc?|pyd|so)$/.test(file)) return false;
  const isModule = (below: string): boolean => isModuleName(FORM.exec(below)?.[1] ?? '');
  return namesInFolders(file, world).some(isModule) && !isRegularFile(file, world);
}

function isModuleName(name: string): boolean {
  return MODULES.has(name) || name.startsWith('_sysconfigdata_');
}

/** Returns whether a folder has the name of such a module. */
export function isNamedAsModule(folder: string, world: PermissionWorld): boolean {
  return isModuleName(path.posix.basename(folder)) && namesInFolders(folder, world).some(isModuleName);
}

/** Returns whether a folder with unknown files may become such a module. */
export function mayBecomeModule(folder: string, world: PermissionWorld): boolean {
  return isNamedAsModule(folder, world) && !isRegularFile(`${folder}/__init__.py`, world);
}

/** Python loads nothing from a folder or a broken link with the name of a module, so the project does not use it as one. */
function isRegularFile(file: string, world: PermissionWorld): boolean {
  const real = world.realpath(file);
  const name = path.posix.basename(real);
  return knownEntries(path.posix.dirname(real), world).some(
    (entry) => entry.kind === 'file' && entry.name === name,
  );
}

function namesInFolders(file: string, world: PermissionWorld): readonly string[] {
  return [...workingFolders(world), world.cwd].map((folder) => path.posix.relative(folder, file));
}
