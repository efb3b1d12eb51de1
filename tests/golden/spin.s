# The program of the golden recordings: _start calls main, main calls hot and warm. Only its call-frame information, its symbols
# and its code bytes matter; it is never run.

	.globl	_start
	.type	_start, @function
_start:	.cfi_startproc
	.cfi_undefined rip
	call	main
	ud2
	.cfi_endproc
	.size	_start, . - _start

	.type	main, @function
main:	.cfi_startproc
	subq	$24, %rsp
	.cfi_def_cfa_offset 32
	call	hot
	call	warm
	addq	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	main, . - main

	.type	hot, @function
hot:	.cfi_startproc
	xorl	%edx, %edx
	divq	%rcx
	addq	%rdx, %rax
	ret
	.cfi_endproc
	.size	hot, . - hot

	.type	warm, @function
warm:	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	movq	%rdi, %rbx
	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	warm, . - warm
