"""What good texts of a skill look like: fixed word lists and patterns, no model asked, no file touched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from metier.authoring.omega.vocabulary import (
    AMBIGUOUS_LIBRARIES,
    ENGLISH_VERBS,
    FILLER,
    INTERNALS,
    LIBRARIES,
    USELESS_ERRORS,
)

if TYPE_CHECKING:
    from metier.authoring.omega.gate import CheckLang
    from metier.tool import ParameterType

SHORTEST, LONGEST = 20, 80
"""Characters of a description."""

Part: TypeAlias = Literal["format", "limits", "example"]
ErrorFault: TypeAlias = Literal["useless", "internal", "no-problem", "no-next-step", "not-chinese"]

_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_NUMBER = re.compile(r"(?<![A-Za-z\d.\-_])\d")
_WORD = re.compile(r"[A-Za-z]+")

_CHINESE_VERBS = re.compile(
    "读取|读|写入|写|获取|查询|查找|查看|查|搜索|检索|列出|列举|创建|新建|生成|建立|更新|修改|编辑|删除|移除|清空|清理|转换|转|解析"
    "|提取|抽取|计算|统计|汇总|分析|比较|对比|合并|拆分|分割|排序|过滤|筛选|压缩|解压|打包|下载|上传|发送|接收|打开|关闭|启动|停止"
    "|运行|执行|调用|检查|校验|验证|测试|格式化|渲染|绘制|裁剪|缩放|调整|旋转|翻译|识别|记录|保存|导入|导出|复制|移动|重命名|替换"
    "|插入|追加|添加|设置|返回|显示|展示|监控|同步|加密|解密|编码|解码|截取|截图|播放|播报|朗读|安装|部署|构建|编译|预测|推荐|分类"
    "|标注|总结|概括|取出|挑选|选取"
)

_LIMITS_ZH = (
    "上限|下限|最多|最大|最小|最少|至多|至少|最长|不超过|不得|不能|不可|不支持|不含|仅|只能|只|限于|限制|必须|须|需要|需|要求|前提"
    "|默认|缺省|范围|以内|之内|之一|相对|取值|单位|必填|区分大小写|截断|超时"
)
_LIMITS_EN = (
    r"\b(?:up to|at most|at least|max(?:imum)?|min(?:imum)?|limit(?:s|ed)?|only|must|needs?|requires?|required|within"
    r"|between \S+ and|no (?:more|larger|longer|less) than|more than|less than|default(?:s)?|relative to|one of"
    r"|not|never|without|from \d\S* to"
    r"|(?:one|two|three|four|five|ten|single) (?:character|line|word|file|row|value|page)s?|otherwise|inclusive"
    r"|(?:when|if|where) (?:it is )?(?:not given|omitted|left out|absent|empty|missing))\b"
)
_LIMIT = re.compile(f"{_LIMITS_ZH}|{_LIMITS_EN}|[≤≥]", re.IGNORECASE)
_RANGE = re.compile(r"\d\s*(?:[-~～–×x]|to|到|至)\s*\d")

_EXAMPLE = re.compile(
    r"示例|例如|比如|譬如|举例|例[:：]|如(?=\s|[:：\"'`“A-Za-z0-9])"
    r"|\bexamples?\b|\be\.g\.|\bfor instance\b|\bsuch as\b",
    re.IGNORECASE,
)
_BOOLEAN_EXAMPLE = re.compile(
    r"(?:为|是|设为|若为)?\s*`?(?:true|false)`?\s*(?:时|则|表示|→|->|=>|[:：])|\b(?:if|when|with) `?(?:true|false)\b"
    r"|\b(?:true|false)`? (?:means|makes|keeps|adds|shows|writes|reads|leaves|replaces)\b",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"格式|写法|形式|路径|名称|名|是否|文本|字符串|列表|编号|数字|数量|日期|时间|地址|网址|编码|类型|代码|关键词|内容|正则|表达式"
    r"|\b(?:format|path|file|folder|name|text|list|number|count|date|time|address|url|code|type|whether|words?|keys?|pattern"
    r"|json|csv|character|sheet|cells?|rows?|columns?|query|id)s?\b",
    re.IGNORECASE,
)

_INTERNAL = re.compile(
    r"no such file or directory|permission denied|is a directory|traceback|panic:|goroutine \d|runtime error"
    r"|index out of range"
    r"|\[?errno \d+|\b\w*(?:Error|Exception)\b(?::|\()|file \"[^\"]+\", line \d|^\s*at .+:\d+:\d+|segmentation fault"
    r"|nil pointer|null pointer|object has no attribute|is not a function|cannot read propert|undefined is not"
    r"|\bENOENT\b|\bEACCES\b|stack trace",
    re.IGNORECASE | re.MULTILINE,
)


def is_chinese(text: str) -> bool:
    """True when there is any Chinese character in it."""
    return _CJK.search(text) is not None


def length_of(text: str) -> int:
    """Characters, not bytes. A line break is a blank between words and nothing between Chinese characters."""
    joined = re.sub(r"(?<=[^\x00-\x7f])\s*\n\s*|\s*\n\s*(?=[^\x00-\x7f])", "", text.strip())
    return len(re.sub(r"\s*\n\s*", " ", joined))


def opens_with_verb(text: str) -> bool:
    """True when the first word is a verb of the list: `Reads`, `Read` or `读取`."""
    text = text.strip()
    if _CJK.match(text):
        return _CHINESE_VERBS.match(text) is not None
    word = _WORD.match(text)
    return word is not None and bool(_stems(word[0].lower()) & ENGLISH_VERBS)


def _stems(word: str) -> set[str]:
    """The forms that a third person may come from: `reads`, `searches`, `copies`."""
    found = {word}
    if word.endswith("s"):
        found.add(word[:-1])
    if word.endswith("es"):
        found.add(word[:-2])
    if word.endswith("ies"):
        found.add(word[:-3] + "y")
    return found


def names_a_limit(text: str) -> bool:
    """True when a number or a limiting word stands in it."""
    return _NUMBER.search(text) is not None or _LIMIT.search(text) is not None


def library_in_domain(name: str) -> str:
    """The library that a tool is named after; empty where it is named after an ability."""
    domain = name.split("_", maxsplit=1)[0].lower()
    return domain if domain in LIBRARIES or domain in AMBIGUOUS_LIBRARIES else ""


def padding(text: str) -> tuple[str, ...]:
    """Words of a description that tell a model nothing: names of libraries, how it is made, praise."""
    low = text.lower()
    words = [word for word in _WORD.findall(low) if word in LIBRARIES]
    phrases = [match[0] for pattern in (INTERNALS, FILLER) for match in pattern.finditer(text)]
    return tuple(dict.fromkeys((*words, *phrases)))


def missing_parts(text: str, kind: ParameterType = "string") -> tuple[Part, ...]:
    """Which of the three parts of a parameter's description are not there."""
    said = text.strip()
    example = _EXAMPLE.search(said)
    has_example = example is not None and bool(said[example.end() :].strip(" :："))
    if kind == "boolean" and _BOOLEAN_EXAMPLE.search(said):
        has_example = True
    before = said[: example.start()] if example else said
    has_meaning = len(re.findall(r"\w", before)) > 1
    has_limits = _LIMIT.search(before) is not None or _RANGE.search(before) is not None
    # An example or a limit shows the form; without them, a word has to tell it.
    shows_form = has_example or has_limits or kind != "string"
    has_form = has_meaning and (shows_form or _FORM.search(before) is not None)
    parts: tuple[tuple[Part, bool], ...] = (("format", has_form), ("limits", has_limits), ("example", has_example))
    return tuple(part for part, is_there in parts if not is_there)


def faults_of_error(text: str, lang: CheckLang) -> tuple[ErrorFault, ...]:
    """What is wrong with the text of an error: it should read `problem: value — next step`."""
    said = text.strip()
    if said.strip("。.!！ ").lower() in USELESS_ERRORS:
        return ("useless",)
    problem, dash, step = said.partition("—")
    step = step.lstrip("—")
    faults: list[ErrorFault] = []
    if _INTERNAL.search(said):
        faults.append("internal")
    if not re.search(r"\w", problem):
        faults.append("no-problem")
    if not dash or not re.search(r"\w", step):
        faults.append("no-next-step")
    if lang == "zh" and not is_chinese(problem):
        faults.append("not-chinese")
    return tuple(faults)
