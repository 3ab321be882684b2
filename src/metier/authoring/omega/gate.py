"""The gates of the checklist as data, and what is found at each of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from metier.messages import Lang

Kind: TypeAlias = Literal["workspace", "builtin"]
"""A folder with a skill.yaml, or a Python project that registers a skill."""
Level: TypeAlias = Literal["must", "advice"]
CheckLang: TypeAlias = Literal["en", "zh"]


class Status(StrEnum):
    """What became of one gate."""

    PASSED = "passed"
    FAILED = "failed"
    UNCHECKED = "unchecked"


class Gate(NamedTuple):
    """One line of the checklist."""

    id: str
    kind: Kind
    group: str
    level: Level
    en: str
    zh: str

    def title(self, lang: CheckLang) -> str:
        """What has to hold."""
        return self.zh if lang == "zh" else self.en


GROUPS: MappingProxyType[tuple[Kind, str], tuple[str, str]] = MappingProxyType(
    {
        ("workspace", "yaml"): ("skill.yaml", "skill.yaml 层"),
        ("workspace", "code"): ("implementation", "实现层"),
        ("workspace", "trial"): ("verification", "验证层"),
        ("builtin", "code"): ("code", "代码层"),
        ("builtin", "tests"): ("tests", "测试层"),
        ("builtin", "docs"): ("documentation", "文档层"),
        ("builtin", "registration"): ("registration", "注册层"),
    }
)
"""The groups in the checklist's order, in English and Chinese."""


def _b(name: str, en: str, zh: str, level: Level = "must") -> Gate:
    return Gate(f"b-{name}", "workspace", name.split("-", maxsplit=1)[0], level, en, zh)


def _a(name: str, en: str, zh: str, level: Level = "must") -> Gate:
    group = {"test": "tests", "reg": "registration"}.get(name.split("-", maxsplit=1)[0], name.split("-", maxsplit=1)[0])
    return Gate(f"a-{name}", "builtin", group, level, en, zh)


_GATES = (
    # ── a folder with a skill.yaml ───────────────────────────────────────────────────────────────────────
    _b(
        "yaml-name",
        "name is <domain>_<action> and starts with the folder's name",
        "name 为 <领域>_<动作>，以目录名为前缀",
    ),
    _b("yaml-domain", "the domain is an ability, not a library", "领域取能力语义，不取库名", "advice"),
    _b(
        "yaml-description",
        "description starts with a verb, names a limit, has 20 to 80 characters",
        "description 以动词开头，含关键限制，20～80 字",
    ),
    _b("yaml-wording", "description has no internals and no filler", "description 不含实现细节和废话", "advice"),
    _b(
        "yaml-parameters",
        "every parameter tells its format, its limits and an example",
        "每个参数说明含格式、约束、示例三要素",
    ),
    _b("yaml-entry", "runtime and entry are right, and the entry exists", "runtime 与 entry 正确，入口文件存在"),
    _b(
        "yaml-docs",
        "docs.when_to_use and docs.when_not_to_use are filled",
        "docs.when_to_use 和 docs.when_not_to_use 已填写",
    ),
    _b("yaml-examples", "the arguments of docs.examples fit the parameters", "docs.examples 的参数符合声明", "advice"),
    _b("code-protocol", "one line of JSON in, one line of JSON out", "严格遵守 stdio JSON 协议：单行读入，单行输出"),
    _b("code-errors", "errors read `problem: value — next step`", "错误信息格式为 <问题>: <值> — <下一步>，中文"),
    _b("code-exceptions", "no exception gets out", "无未捕获异常"),
    _b("code-go", "Go: there is a go.mod, and the code builds", "Go 实现：有 go.mod，可成功编译"),
    _b("trial-answer", "a good request gets an answer", "手动测试：正常请求得到应答"),
    _b("trial-invalid", "a bad request gets an error and no output", "异常测试：无效参数返回 error 而非崩溃"),
    _b("trial-reload", "after a refresh the tool is in the list of tools", "reload 后工具出现在工具列表中"),
    # ── a Python project that registers a skill ──────────────────────────────────────────────────────────
    _a("code-module", "the module with the ProjectSkill exists", "实现模块存在，含 ProjectSkill"),
    _a(
        "code-name",
        "tools are named <domain>_<action>, lower case, no hyphen",
        "工具名为 <领域>_<动作>，无大写，无连字符",
    ),
    _a("code-domain", "the domain is an ability, not a library", "领域取能力语义，不取库名", "advice"),
    _a(
        "code-description",
        "descriptions start with a verb, name a limit, have 20 to 80 characters",
        "描述以动词开头，含关键限制，20～80 字",
    ),
    _a("code-wording", "descriptions have no internals and no filler", "描述不含实现细节和废话", "advice"),
    _a(
        "code-parameters",
        "every required parameter tells its format, its limits and an example",
        "每个必填参数说明含格式、约束、示例三要素",
    ),
    _a("code-errors", "every error tells the problem and the next step", "每条错误信息含问题描述和下一步行动"),
    _a("code-limits", "files have a size limit, and output has a limit", "有文件大小上限和输出字数上限保护"),
    _a("code-paths", "every path parameter goes through Workspace", "所有路径参数经由 Workspace 验证"),
    _a("test-file", "there are tests for the skill", "有该技能的测试文件"),
    _a(
        "test-errors",
        "tests try an empty argument, an escaping path, a missing file, an excess",
        "覆盖所有错误路径：空参数、路径逃逸、文件不存在、超限",
    ),
    _a("test-real", "a test goes from end to end with a real file", "正常路径至少 1 个端到端测试，使用真实文件"),
    _a("test-windows", "nothing that opens a window is really opened by a test", "有 GUI 副作用的测试已替换"),
    _a("test-passes", "all tests pass, and cover at least 80 % of the code", "测试全部通过，覆盖率 ≥ 80%"),
    _a("docs-template", "docs/skills/<name>.md follows the template", "docs/skills/<name>.md 已按模板创建"),
    _a("docs-overview", "the overview tells what it wraps, versions and the switch", "概述含说明、依赖版本和环境变量"),
    _a("docs-tools", "a table lists every tool", "工具列表含表格，每个工具一行"),
    _a(
        "docs-uses",
        "three uses, when not to use it, other tools, what it cannot do",
        "至少 3 个使用场景，含何时不用、替代工具和无法满足的需求",
    ),
    _a(
        "docs-details",
        "every tool has a table of parameters, an output and a table of errors",
        "每个工具有参数表、输出示例、错误一览",
    ),
    _a("docs-output", "output samples show real data", "输出格式示例使用真实数据", "advice"),
    _a("docs-examples", "two examples whose JSON fits the parameters", "至少 2 个示例，JSON 参数符合声明"),
    _a("docs-trimming", "what was left out of the library, and why", "裁剪决策已记录"),
    _a(
        "reg-entry",
        "registered in pyproject.toml, below a comment with the library's address",
        "已注册，含分组注释和库来源",
    ),
    _a(
        "reg-switch",
        "SKILL_<NAME>_ENABLED, and no other variable, switches it",
        "通过环境变量 SKILL_<NAME>_ENABLED 控制开关",
    ),
    _a("reg-log", "the log tells at the start that it is registered", "启动日志中打印注册状态"),
)

GATES: MappingProxyType[str, Gate] = MappingProxyType({gate.id: gate for gate in _GATES})
"""Every gate by its stable id, in the checklist's order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One reason why a gate is not passed, or a remark on one that is."""

    key: str
    """Names the text, see `words_en` and `words_zh`."""
    values: tuple[tuple[str, str], ...] = ()
    path: str = ""
    line: int | None = None

    def reason(self, lang: CheckLang) -> str:
        """What is wrong."""
        return texts(lang)[self.key][0].format_map(dict(self.values))

    def next_step(self, lang: CheckLang) -> str:
        """What to do about it."""
        return texts(lang)[self.key][1].format_map(dict(self.values))


def found(key: str, path: str = "", line: int | None = None, /, **values: object) -> Finding:
    """A finding with its values as text."""
    return Finding(key=key, values=tuple((name, str(value)) for name, value in values.items()), path=path, line=line)


@cache
def texts(lang: CheckLang) -> dict[str, tuple[str, str]]:
    """All reasons of a language, each with its next step."""
    return import_module(f"metier.authoring.omega.words_{lang}").WORDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One gate of one skill, judged."""

    gate: Gate
    status: Status
    findings: tuple[Finding, ...] = ()

    def reason(self, lang: CheckLang) -> str:
        """Why; empty where there is nothing to say."""
        return "; ".join(dict.fromkeys(one.reason(lang) for one in self.findings))

    def next_step(self, lang: CheckLang) -> str:
        """What to do; empty where there is nothing to do."""
        steps = (one.next_step(lang) for one in self.findings)
        return "; ".join(dict.fromkeys(step for step in steps if step))

    @property
    def is_open(self) -> bool:
        """True for what keeps the skill from being complete."""
        return self.gate.level == "must" and self.status is not Status.PASSED


@dataclass(frozen=True, slots=True, kw_only=True)
class Checklist:
    """Every gate of one skill, judged."""

    path: str
    """The file that defines it: skill.yaml or pyproject.toml."""
    name: str
    kind: Kind
    verdicts: tuple[Verdict, ...]

    @property
    def is_complete(self) -> bool:
        """True when nothing that must hold is failed or unchecked."""
        return not any(verdict.is_open for verdict in self.verdicts)

    @property
    def unmet(self) -> tuple[Verdict, ...]:
        """What is still to be done. Empty, and only then, the skill is accepted."""
        return tuple(verdict for verdict in self.verdicts if verdict.is_open)


def message_lang(lang: CheckLang) -> Lang:
    """The language of metier's own messages that goes with it."""
    return "zh-Hans" if lang == "zh" else "en"


def judged(gate: str, findings: list[Finding]) -> Verdict:
    """Passed where nothing was found."""
    return Verdict(gate=GATES[gate], status=Status.FAILED if findings else Status.PASSED, findings=tuple(findings))


def passed(gate: str, *remarks: Finding) -> Verdict:
    """Passed, perhaps with a remark."""
    return Verdict(gate=GATES[gate], status=Status.PASSED, findings=remarks)


def unchecked(gate: str, *reasons: Finding) -> Verdict:
    """Neither passed nor failed, and why."""
    return Verdict(gate=GATES[gate], status=Status.UNCHECKED, findings=reasons)


def in_order(verdicts: list[Verdict]) -> tuple[Verdict, ...]:
    """Verdicts as the checklist lists their gates."""
    order = list(GATES)
    return tuple(sorted(verdicts, key=lambda verdict: order.index(verdict.gate.id)))
