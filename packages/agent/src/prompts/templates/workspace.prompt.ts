/** `user_prompt.j2`: an example for the model, shown in front of the workspace context. Empty: none is needed. */
export const userPrompt = '';

/** `additional_info.j2`: the workspace context. Every variable is given; what is not known is none or empty. */
export const additionalInfo = `{% if repository_info %}<REPOSITORY_INFO>
{% if repository_info.repo_name %}Repository: {{ repository_info.repo_name }}
{% endif %}{% if repository_info.repo_directory %}Directory: {{ repository_info.repo_directory }}
{% endif %}{% if repository_info.branch_name %}Branch: {{ repository_info.branch_name }}. Stay on it unless you are asked to change it.
{% endif %}{% if repository_info.changes %}Changes that are not committed, when this session began:
{% for line in repository_info.changes %}{{ line }}
{% endfor %}{% endif %}{% if repository_info.commits %}Newest commits:
{% for line in repository_info.commits %}{{ line }}
{% endfor %}{% endif %}{% if repository_info.files %}Files, when this session began:
{% for line in repository_info.files %}{{ line }}
{% endfor %}{% endif %}{% if repository_info.nested_instructions %}Folders below have instructions of their own. Read them before you change something there:
{% for line in repository_info.nested_instructions %}- {{ line }}
{% endfor %}{% endif %}</REPOSITORY_INFO>

{% endif %}{% if repository_instructions %}<REPOSITORY_INSTRUCTIONS>
The repository says how to work in it. Where two of these disagree, the later one counts. '@' before a path names a file to read when it matters.

{{ repository_instructions }}
</REPOSITORY_INSTRUCTIONS>

{% endif %}{% if runtime_info %}<RUNTIME_INFORMATION>
{% if runtime_info.working_dir %}Working directory: {{ runtime_info.working_dir }}
{% endif %}{% if runtime_info.platform %}Platform: {{ runtime_info.platform }}
{% endif %}{% if runtime_info.date %}Today: {{ runtime_info.date }} (UTC)
{% endif %}{% if runtime_info.available_hosts %}Hosts under which your servers can be reached, each with its port. Bind servers to all interfaces:
{% for host, port in runtime_info.available_hosts.items() %}- {{ host }}: {{ port }}
{% endfor %}{% endif %}{% if runtime_info.custom_secrets_descriptions %}Secrets, set as environment variables. Use them by name ({% if shell == 'powershell' %}$env:NAME{% else %}$NAME{% endif %}); their values are hidden from you:
{% for name, description in runtime_info.custom_secrets_descriptions.items() %}- {{ name }}{% if description %}: {{ description }}{% endif %}
{% endfor %}{% endif %}{% if runtime_info.additional_agent_instructions %}{{ runtime_info.additional_agent_instructions }}
{% endif %}</RUNTIME_INFORMATION>

{% endif %}{% if conversation_instructions %}<CONVERSATION_INSTRUCTIONS>
{{ conversation_instructions.content }}
</CONVERSATION_INSTRUCTIONS>
{% endif %}`;
