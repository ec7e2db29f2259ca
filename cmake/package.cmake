# `make install` and the .deb.
include(GNUInstallDirs)
install(TARGETS roost RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# ONNX Runtime, if tools/onnxruntime could fetch it.
set(onnxruntime ${CMAKE_SOURCE_DIR}/build/onnxruntime)
install(FILES ${onnxruntime}/libonnxruntime.so.1 DESTINATION lib/roost OPTIONAL)
install(FILES ${onnxruntime}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME onnxruntime.LICENSE OPTIONAL)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME roost)
set(CPACK_PACKAGE_CONTACT "the Roost developers")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, git")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS buildah)  # for environments that are images
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
include(CPack)
